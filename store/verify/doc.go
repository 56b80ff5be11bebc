// Package verify reads a whole store and says what does not fit together, and
// mends what follows from other records.
//
// A walk takes one snapshot and goes over every record once. The families with
// records of keys (meta, member, list, score, tree, alias) sort alike, by
// namespace, key and version, so one cursor per family moves over them in step
// and the walk sees one key with all that belongs to it at a time. It holds no
// element and no key behind it, so that it takes the same memory for any number
// of them; see walk. Only what waits to be reclaimed, namespaces, contracts and
// stages are held, and which versions are in use, as a compressed bitmap.
//
// The package knows the layout of package encoding and nothing of the code that
// wrote the records.
package verify
