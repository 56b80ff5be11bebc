//go:build race

package contracts

const raceDetector = true
