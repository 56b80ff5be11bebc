package contracts

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// The caps on a source before it is parsed at all.
const (
	maxSourceBytes = 1 << 20
	maxDepth       = 16
	maxIndent      = 256
	// The YAML library needs time quadratic in the length of a run of blank
	// lines.
	maxBlankLines = 100
)

// parseYAML reads one source into nodes. It returns nil if there is nothing
// to go on with; the reasons are then among the problems.
func parseYAML(source Source, problems *problems) *node {
	text, at, message := readable(source.Data)
	if message != "" {
		problems.add(source.Name, at, "%s", message)
		return nil
	}
	tokens, err := tokenize(text)
	if err != nil {
		problems.add(source.Name, position{1, 1}, "%v", err)
		return nil
	}
	if refuseTokens(source.Name, tokens, problems) {
		return nil
	}
	file, err := parseTokens(tokens)
	if err != nil {
		at, message := syntaxProblem(err)
		problems.add(source.Name, at, "%s", message)
		return nil
	}
	return onlyDocument(source.Name, file, problems)
}

// readable strips a byte order mark and checks what must hold for any text.
func readable(data []byte) (text string, at position, message string) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if len(data) > maxSourceBytes {
		return "", position{1, 1}, fmt.Sprintf("file is larger than %d MiB", maxSourceBytes>>20)
	}
	at = position{1, 1}
	blank := 0
	for i := 0; i < len(data); {
		ch, size := utf8.DecodeRune(data[i:])
		switch ch {
		case '\n', '\r':
			blank++
		case ' ', '\t':
		default:
			blank = 0
		}
		switch {
		case blank > 2*maxBlankLines:
			return "", at, fmt.Sprintf("more than %d blank lines in a row", maxBlankLines)
		case ch == utf8.RuneError && size == 1:
			return "", at, "file is not valid UTF-8"
		case ch == '\n':
			at = position{at.line + 1, 1}
		case ch < ' ' && ch != '\t' && ch != '\r', ch == 0x7F:
			return "", at, fmt.Sprintf("control character U+%04X", ch)
		default:
			at.column++
		}
		i += size
	}
	return string(data), at, ""
}

// tokenize guards against a lexer that gives up on some input by panicking.
func tokenize(text string) (tokens token.Tokens, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("not readable as YAML")
		}
	}()
	return lexer.Tokenize(text), nil
}

// parseTokens guards against a parser that gives up by panicking. Duplicate
// keys are found later, all of them instead of the first.
func parseTokens(tokens token.Tokens) (file *ast.File, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("not readable as YAML")
		}
	}()
	return parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
}

// refuseTokens reports the parts of YAML that contracts do without, and
// nesting so deep that parsing it would be a risk.
func refuseTokens(file string, tokens token.Tokens, problems *problems) (refused bool) {
	before := problems.total
	depth, onLine, line := 0, 0, 0
	for _, tk := range tokens {
		if tk.Position.Line != line {
			onLine, line = 0, tk.Position.Line
			if indent := tk.Position.Column - 1; depth == 0 && indent > maxIndent {
				problems.add(file, place(tk), "indented by more than %d columns", maxIndent)
				return true
			}
		}
		switch tk.Type {
		case token.AnchorType, token.AliasType, token.MergeKeyType:
			problems.add(file, place(tk), "anchors, aliases and merge keys are not supported; write the values out")
		case token.TagType, token.DirectiveType:
			problems.add(file, place(tk), "tags and directives are not supported")
		case token.MappingStartType, token.SequenceStartType:
			depth++
		case token.MappingEndType, token.SequenceEndType:
			depth = max(depth-1, 0)
		case token.SequenceEntryType, token.MappingKeyType:
			if depth > 0 {
				problems.add(file, place(tk), "not allowed inside brackets: %s", tk.Value)
				return true
			}
			onLine++
		case token.MappingValueType:
			if depth == 0 {
				onLine++
			}
		}
		if depth > maxDepth || onLine > maxDepth {
			problems.add(file, place(tk), "nested too deeply, at most %d levels are allowed", maxDepth)
			return true
		}
	}
	return problems.total > before
}

func place(tk *token.Token) position {
	return position{max(tk.Position.Line, 1), max(tk.Position.Column, 1)}
}

func syntaxProblem(err error) (position, string) {
	var syntax yaml.Error
	if !errors.As(err, &syntax) {
		return position{1, 1}, err.Error()
	}
	message := strings.TrimSpace(syntax.GetMessage())
	if message == "" {
		message = "not readable as YAML"
	}
	if tk := syntax.GetToken(); tk != nil && tk.Position != nil {
		return place(tk), "syntax: " + message
	}
	return position{1, 1}, "syntax: " + message
}

// onlyDocument takes the one document of a file.
func onlyDocument(file string, parsed *ast.File, problems *problems) *node {
	var body ast.Node
	for _, doc := range parsed.Docs {
		if doc == nil || doc.Body == nil {
			continue
		}
		if body != nil {
			problems.add(file, start(doc.Body), "only one document per file is supported")
			return nil
		}
		body = doc.Body
	}
	if body == nil {
		problems.add(file, position{1, 1}, "file is empty; it must begin with format: %d", fileFormat)
		return nil
	}
	t := tree{file: file, problems: problems}
	before := problems.total
	root := t.convert(body, 0)
	if root.kind != mappingNode {
		if problems.total == before {
			problems.add(file, root.at, "must be a mapping that begins with format: %d, not %s", fileFormat, root.kind)
		}
		return nil
	}
	return root
}
