package contracts

import (
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// nodeKind tells the nodes of a parsed file apart. The kinds of scalars keep
// what was quoted and what was not, because a quoted number is text.
type nodeKind string

const (
	mappingNode  nodeKind = "a mapping"
	sequenceNode nodeKind = "a list"
	quotedNode   nodeKind = "text"
	plainNode    nodeKind = "plain text"
	numberNode   nodeKind = "a number"
	booleanNode  nodeKind = "true or false"
	nullNode     nodeKind = "nothing"
	specialNode  nodeKind = "not a finite number"
)

// node is a value of a parsed file with its position.
type node struct {
	kind    nodeKind
	text    string // of a scalar, without quotes
	at      position
	entries []entry
	items   []*node
}

type entry struct {
	key   *node
	value *node
}

// child returns the value under a key of a mapping, or nil.
func (n *node) child(key string) *node {
	for _, e := range n.entries {
		if e.key.text == key {
			return e.value
		}
	}
	return nil
}

// tree turns the syntax tree of the YAML library into nodes. It refuses what
// contracts do not use.
type tree struct {
	file     string
	problems *problems
}

func (t *tree) convert(from ast.Node, depth int) *node {
	n := &node{kind: nullNode, at: start(from)}
	if depth > maxDepth {
		t.problems.add(t.file, n.at, "nested too deeply, at most %d levels are allowed", maxDepth)
		return n
	}
	switch from := from.(type) {
	case *ast.MappingNode:
		t.mapping(n, from.Values, depth)
	case *ast.MappingValueNode:
		t.mapping(n, []*ast.MappingValueNode{from}, depth)
	case *ast.SequenceNode:
		n.kind = sequenceNode
		for _, item := range from.Values {
			n.items = append(n.items, t.convert(item, depth+1))
		}
	case *ast.LiteralNode:
		n.kind = quotedNode
		if from.Value != nil {
			n.text = from.Value.Value
		}
	case *ast.StringNode:
		t.text(n, from)
	default:
		t.scalar(n, from)
	}
	return n
}

func (t *tree) text(n *node, from *ast.StringNode) {
	n.kind, n.text = plainNode, from.Value
	if tk := from.Token; tk != nil && (tk.Type == token.SingleQuoteType || tk.Type == token.DoubleQuoteType) {
		n.kind = quotedNode
	}
}

func (t *tree) scalar(n *node, from ast.Node) {
	switch from := from.(type) {
	case *ast.IntegerNode, *ast.FloatNode:
		n.kind = numberNode
	case *ast.BoolNode:
		n.kind = booleanNode
	case *ast.NanNode, *ast.InfinityNode:
		n.kind = specialNode
	case *ast.NullNode, nil:
		return
	default:
		t.problems.add(t.file, n.at, "%s: not supported here", from.Type().YAMLName())
		return
	}
	n.text = from.GetToken().Value
}

func (t *tree) mapping(n *node, values []*ast.MappingValueNode, depth int) {
	n.kind = mappingNode
	seen := make(map[string]position, len(values))
	for _, value := range values {
		key := t.key(value.Key)
		if key == nil {
			continue
		}
		if first, dup := seen[key.text]; dup {
			t.problems.add(t.file, key.at, "duplicate key %s, first used at line %d, column %d",
				display([]byte(key.text)), first.line, first.column)
			continue
		}
		seen[key.text] = key.at
		n.entries = append(n.entries, entry{key, t.convert(value.Value, depth+1)})
	}
}

// key reads the key of a mapping, which must be a scalar.
func (t *tree) key(from ast.MapKeyNode) *node {
	if from == nil {
		return nil
	}
	if _, explicit := from.(*ast.MappingKeyNode); explicit || from.IsMergeKey() {
		t.problems.add(t.file, start(from), "only plain keys are supported")
		return nil
	}
	n := t.convert(from, maxDepth)
	if n.kind == mappingNode || n.kind == sequenceNode {
		t.problems.add(t.file, n.at, "only plain keys are supported")
		return nil
	}
	return n
}

// start is where a node begins; a mapping begins at its first key.
func start(from ast.Node) position {
	if mapping, ok := from.(*ast.MappingNode); ok && len(mapping.Values) > 0 && mapping.Values[0].Key != nil {
		from = mapping.Values[0].Key
	}
	if from == nil || from.GetToken() == nil || from.GetToken().Position == nil {
		return position{1, 1}
	}
	at := from.GetToken().Position
	return position{max(at.Line, 1), max(at.Column, 1)}
}
