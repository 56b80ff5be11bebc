package contracts

import "strings"

// longestGuess bounds the names that are worth a guess.
const longestGuess = 64

// nearest finds the candidate that was probably meant: the one with the least
// edit distance, if that is small beside the length; of equals the first in
// the alphabet. It returns nothing if no candidate is near.
func nearest(word string, candidates []string) string {
	if word == "" || len(word) > longestGuess {
		return ""
	}
	best, bestDistance := "", max(1, len(word)/3)+1
	for _, candidate := range candidates {
		if len(candidate) > longestGuess || abs(len(candidate)-len(word)) >= bestDistance+1 {
			continue
		}
		n := editDistance(strings.ToLower(word), strings.ToLower(candidate))
		if n < bestDistance || n == bestDistance && best != "" && candidate < best {
			best, bestDistance = candidate, n
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }

// editDistance counts insertions, deletions, replacements and swaps of
// neighbours (optimal string alignment, after Damerau and Levenshtein).
func editDistance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
