package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// question is something the loaded data can answer.
type question struct {
	text string
	ask  func(context.Context, client) (string, error)
}

var questions = []question{
	{"What is Côte d'Ivoire's three-letter code, and how is it written?", askCountry},
	{"How many languages does ISO 639-3 know, and how many are extinct?", askLanguages},
	{"Which constructed languages are there? (five of them)", askConstructed},
	{"Which codes stand for no language in particular?", askSpecial},
	{"Which countries have the most subdivisions?", askMostDivided},
	{"What rank does Switzerland have among them?", askRank},
	{"How many of France's subdivisions lie directly below it, and how many deeper?", askLevels},
	{"Which words begin with 'keyp' to 'keys'?", askPrefix},
	{"What are the longest words?", askLongest},
	{"May a country have a field 'capital', and an upper-case language code?", askRefused},
	{"May a country be given a lifetime?", askLifetime},
	{"May all living individual languages come in one answer?", askTooMany},
}

// members reads a range of a sorted set.
func members(ctx context.Context, c client, key string, query url.Values) ([]scored, error) {
	var answer struct{ Members []scored }
	err := c.call(ctx, "GET", route(query, "zset", key, "members"), nil, &answer)
	return answer.Members, err
}

// count reads the number of elements of a key, or in a range of it.
func count(ctx context.Context, c client, kind, key string, query url.Values) (int, error) {
	var answer struct{ Count int }
	err := c.call(ctx, "GET", route(query, kind, key, "count"), nil, &answer)
	return answer.Count, err
}

func askCountry(ctx context.Context, c client) (string, error) {
	var answer struct{ Fields map[string]string }
	err := c.call(ctx, "GET", route(url.Values{"field": {"alpha_3", "name", "flag"}}, "hash", "country:CI", "fields"), nil, &answer)
	return fmt.Sprintf("%s, %s %s", answer.Fields["alpha_3"], answer.Fields["name"], answer.Fields["flag"]), err
}

func askLanguages(ctx context.Context, c client) (string, error) {
	all := 0
	for _, scope := range []string{"I", "M", "S"} {
		n, err := count(ctx, c, "set", "languages:scope:"+scope, nil)
		if err != nil {
			return "", err
		}
		all += n
	}
	extinct, err := count(ctx, c, "set", "languages:type:E", nil)
	return fmt.Sprintf("%d, %d of them extinct", all, extinct), err
}

// askConstructed looks up names of members in one request.
func askConstructed(ctx context.Context, c client) (string, error) {
	var set struct{ Members []string }
	if err := c.call(ctx, "GET", route(nil, "set", "languages:type:C"), nil, &set); err != nil {
		return "", err
	}
	slices.Sort(set.Members)
	return names(ctx, c, set.Members[:min(5, len(set.Members))])
}

func askSpecial(ctx context.Context, c client) (string, error) {
	var set struct{ Members []string }
	body := map[string]any{"keys": []string{"languages:scope:S", "languages:type:S"}}
	if err := c.call(ctx, "POST", "/sets/inter", body, &set); err != nil {
		return "", err
	}
	slices.Sort(set.Members)
	return names(ctx, c, set.Members)
}

// names reads the names of languages by their codes.
func names(ctx context.Context, c client, codes []string) (string, error) {
	query := url.Values{}
	for _, code := range codes {
		query.Add("key", "language:"+code)
	}
	var answer struct{ Values []string }
	err := c.call(ctx, "GET", route(query, "string"), nil, &answer)
	return strings.Join(answer.Values, ", "), err
}

func askMostDivided(ctx context.Context, c client) (string, error) {
	top, err := members(ctx, c, "subdivisions", url.Values{"order": {"desc"}, "limit": {"3"}})
	return list(top), err
}

func askRank(ctx context.Context, c client) (string, error) {
	var answer struct {
		Score       int
		ReverseRank int `json:"reverse_rank"`
	}
	err := c.call(ctx, "GET", route(nil, "zset", "subdivisions", "members", "CH"), nil, &answer)
	return fmt.Sprintf("%d, with %d cantons", answer.ReverseRank+1, answer.Score), err
}

func askLevels(ctx context.Context, c client) (string, error) {
	top, err := count(ctx, c, "zset", "subdivisions:FR", url.Values{"by": {"score"}, "min": {"1"}, "max": {"1"}})
	if err != nil {
		return "", err
	}
	deeper, err := count(ctx, c, "zset", "subdivisions:FR", url.Values{"by": {"score"}, "min": {"(1"}, "max": {"inf"}})
	return fmt.Sprintf("%d and %d", top, deeper), err
}

func askPrefix(ctx context.Context, c client) (string, error) {
	found, err := members(ctx, c, "words:alphabet", url.Values{"by": {"lex"}, "min": {"[keyp"}, "max": {"[keys"}})
	words := make([]string, len(found))
	for i, word := range found {
		words[i] = word.Member
	}
	return strings.Join(words, ", "), err
}

func askLongest(ctx context.Context, c client) (string, error) {
	top, err := members(ctx, c, "words:length", url.Values{"order": {"desc"}, "limit": {"3"}})
	return list(top), err
}

func list(members []scored) string {
	texts := make([]string, len(members))
	for i, m := range members {
		texts[i] = fmt.Sprintf("%s (%d)", m.Member, m.Score)
	}
	return strings.Join(texts, ", ")
}

// askRefused tries what the contracts do not allow.
func askRefused(ctx context.Context, c client) (string, error) {
	capital := c.call(ctx, "PUT", route(nil, "hash", "country:CI", "fields"), map[string]any{"fields": map[string]string{"capital": "Yamoussoukro"}}, nil)
	code := c.call(ctx, "PUT", route(nil, "set", "languages:type:C", "members"), map[string]any{"members": []string{"EPO"}}, nil)
	return refused(capital, code)
}

func askLifetime(ctx context.Context, c client) (string, error) {
	return refused(c.call(ctx, "PUT", route(nil, "keys", "country:CI", "ttl"), map[string]any{"ttl": "1h"}, nil))
}

func askTooMany(ctx context.Context, c client) (string, error) {
	body := map[string]any{"keys": []string{"languages:type:L", "languages:scope:I"}}
	return refused(c.call(ctx, "POST", "/sets/inter", body, nil))
}

// refused lists the codes of what must have been refused by contract.
func refused(errs ...error) (string, error) {
	var codes []string
	for _, err := range errs {
		var problem *refusal
		if !errors.As(err, &problem) || problem.Status != 422 {
			return "", fmt.Errorf("this was not refused by contract: %w", err)
		}
		for _, e := range problem.Errors {
			codes = append(codes, e.Code)
		}
	}
	return "no: 422 " + strings.Join(codes, ", 422 "), nil
}
