// Package storetest looks at the records of a store from the outside, for
// tests: whether they agree with each other (Check), what a reader would see
// (Read), and whether anything changed at all (Dump). It knows the layout of
// package encoding and nothing of the code that wrote the records.
package storetest
