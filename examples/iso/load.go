package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// batchSize is how many elements or operations go into one request.
const batchSize = 1000

// operation is one of a batch; its members are those of the route.
type operation map[string]any

// scored is one member of a sorted set.
type scored struct {
	Member string `json:"member"`
	Score  int    `json:"score"`
}

// load fills the store. Loading again changes nothing.
func load(ctx context.Context, c client, codes, words string) error {
	for _, step := range []func() error{
		func() error { return loadCountries(ctx, c, codes) },
		func() error { return loadLanguages(ctx, c, codes) },
		func() error { return loadSubdivisions(ctx, c, codes) },
		func() error { return loadWords(ctx, c, words) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// table reads one file of iso-codes.
func table(folder, name string) ([]map[string]string, error) {
	raw, err := os.ReadFile(filepath.Join(folder, "iso_"+name+".json"))
	if err != nil {
		return nil, err
	}
	var file map[string][]map[string]string
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("iso_%s.json: %w", name, err)
	}
	return file[name], nil
}

// batch sends operations, each request one transaction.
func batch(ctx context.Context, c client, operations []operation) error {
	for chunk := range slices.Chunk(operations, batchSize) {
		if err := c.call(ctx, "POST", "/batch", map[string]any{"operations": chunk}, nil); err != nil {
			return err
		}
	}
	return nil
}

func loadCountries(ctx context.Context, c client, codes string) error {
	countries, err := table(codes, "3166-1")
	if err != nil {
		return err
	}
	operations := make([]operation, 0, len(countries))
	for _, country := range countries {
		code := country["alpha_2"]
		delete(country, "alpha_2")
		operations = append(operations, operation{"op": "HSET", "key": "country:" + code, "fields": country})
	}
	return batch(ctx, c, operations)
}

func loadLanguages(ctx context.Context, c client, codes string) error {
	languages, err := table(codes, "639-3")
	if err != nil {
		return err
	}
	var operations []operation
	groups := make(map[string][]string)
	for _, language := range languages {
		code := language["alpha_3"]
		operations = append(operations, operation{"op": "SET", "key": "language:" + code, "value": language["name"]})
		for _, kind := range []string{"type", "scope"} {
			key := "languages:" + kind + ":" + language[kind]
			groups[key] = append(groups[key], code)
		}
	}
	if err := batch(ctx, c, operations); err != nil {
		return err
	}
	for key, members := range groups {
		for chunk := range slices.Chunk(members, batchSize) {
			if err := c.call(ctx, "PUT", route(nil, "set", key, "members"), map[string]any{"members": chunk}, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

func loadSubdivisions(ctx context.Context, c client, codes string) error {
	subdivisions, err := table(codes, "3166-2")
	if err != nil {
		return err
	}
	parents := make(map[string]string, len(subdivisions))
	for _, s := range subdivisions {
		parents[s["code"]] = parentOf(s)
	}
	countries := make(map[string][]scored)
	for code := range parents {
		country, _, _ := strings.Cut(code, "-")
		level := 1
		for parent := parents[code]; parent != "" && level < 5; parent = parents[parent] {
			level++
		}
		countries[country] = append(countries[country], scored{code, level})
	}
	counts := make([]scored, 0, len(countries))
	for country, members := range countries {
		counts = append(counts, scored{country, len(members)})
		if err := addScored(ctx, c, "subdivisions:"+country, members); err != nil {
			return err
		}
	}
	return addScored(ctx, c, "subdivisions", counts)
}

// parentOf is the full code of the subdivision above, which the files give with
// or without the country.
func parentOf(subdivision map[string]string) string {
	parent := subdivision["parent"]
	if parent == "" || strings.Contains(parent, "-") {
		return parent
	}
	country, _, _ := strings.Cut(subdivision["code"], "-")
	return country + "-" + parent
}

func loadWords(ctx context.Context, c client, path string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var byName, byLength []scored
	for word := range strings.FieldsSeq(string(raw)) {
		byName = append(byName, scored{word, 0})
		byLength = append(byLength, scored{word, utf8.RuneCountInString(word)})
	}
	if err := addScored(ctx, c, "words:alphabet", byName); err != nil {
		return err
	}
	return addScored(ctx, c, "words:length", byLength)
}

func addScored(ctx context.Context, c client, key string, members []scored) error {
	for chunk := range slices.Chunk(members, batchSize) {
		if err := c.call(ctx, "PUT", route(nil, "zset", key, "members"), map[string]any{"members": chunk}, nil); err != nil {
			return err
		}
	}
	return nil
}
