//go:build race

package main

// raceDetector says whether the tests run with the race detector; then the
// binary they start does too.
const raceDetector = true
