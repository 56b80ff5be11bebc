// Package resp is the door for clients that speak RESP, Redis's own protocol,
// in its versions 2 and 3 (github.com/redis/redis-specifications). It parses
// commands, hands them to a conversation of package command, and renders the
// replies. No meaning and no storage live here.
//
// Each connection has three goroutines: one reads commands and notices when the
// client leaves, one runs what has been read as one list, so that a pipeline of
// writes shares its syncs, and one sends. What stands between them is bounded,
// so a client that does not read its replies is not read from either.
package resp
