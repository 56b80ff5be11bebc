// Package command is the vocabulary of Redis commands: it makes of a list of
// words one operation and of its result a reply, for every door that takes
// commands. It keeps what a conversation with one client is about (Session) and
// what all conversations share (Host). It knows neither HTTP nor the wire.
//
// A command that touches data is parsed into an operation of package service,
// or into one of its own (act), and run by the service like any other; so
// contracts hold whichever door it came through. The meaning of commands and
// the texts of errors are those of Redis 7.0.
package command
