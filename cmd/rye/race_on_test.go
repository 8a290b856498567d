//go:build race

package main

// raceDetector multiplies what a program takes of memory and time: measures of either mean nothing then.
const raceDetector = true
