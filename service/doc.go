// Package service is the vocabulary of Keypact: one struct per operation, with
// its input as fields and its meaning in Apply. It checks the shape of a
// request, runs lists of operations on the store and gives every failure one
// kind. It knows neither HTTP nor the bytes on disk.
package service
