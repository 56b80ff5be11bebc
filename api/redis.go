package api

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"keypact/api/resp"
	"keypact/service"
	"keypact/service/command"
)

// The routes below /redis take Redis commands over HTTP in the forms that
// Upstash's clients use (upstash.com/docs/redis/features/restapi): a command as
// a JSON array, in the path, many as a list or as one transaction. Errors have
// the form {"error": "ERR .."} there, not that of problems.

// Headers of the command door.
const (
	redisEncoding  = "Upstash-Encoding"        // base64: strings come encoded
	redisFormat    = "Upstash-Response-Format" // resp2: the answer is RESP
	redisSyncToken = "Upstash-Sync-Token"      // differs from answer to answer
)

// redisError is a failure of the request itself, before any command runs.
type redisError struct {
	status int
	text   string
}

func (e *redisError) Error() string { return e.text }

func badCommand(text string) error { return &redisError{http.StatusBadRequest, text} }

// redisForm is how an answer is written.
type redisForm struct{ base64, resp2 bool }

// redisFormOf reads the headers that choose the form.
func redisFormOf(r *http.Request) (form redisForm, err error) {
	switch encoding := r.Header.Get(redisEncoding); encoding {
	case "":
	case "base64":
		form.base64 = true
	default:
		return form, badCommand("ERR unsupported " + redisEncoding + ": '" + printable(encoding) + "'")
	}
	switch format := r.Header.Get(redisFormat); format {
	case "", "json":
	case "resp2":
		form.resp2 = true
	default:
		return form, badCommand("ERR unsupported " + redisFormat + ": '" + printable(format) + "'")
	}
	if form.base64 && form.resp2 {
		return form, badCommand("ERR " + redisFormat + " resp2 and " + redisEncoding + " base64 cannot be used together")
	}
	return form, nil
}

// belowRedis reports whether a path belongs to the command door.
func belowRedis(path string) bool { return path == "/redis" || strings.HasPrefix(path, "/redis/") }

// redisRoot takes one command as a JSON array.
func (s *server) redisRoot(x *exchange, r *http.Request) {
	s.redisOne(x, r, func() ([][]byte, error) {
		body, err := s.redisJSON(r)
		if err != nil {
			return nil, err
		}
		return parseCommand(body)
	})
}

// redisPath takes one command in the path, or listens to channels. A slash
// behind /redis alone says nothing.
func (s *server) redisPath(x *exchange, r *http.Request) {
	if r.URL.Path == "/redis/" && !bodyless(r.Method) {
		s.redisRoot(x, r)
		return
	}
	if kind, names, ok := hearing(r); ok {
		s.redisListen(x, r, kind, names)
		return
	}
	s.redisOne(x, r, func() ([][]byte, error) { return s.pathCommand(r) })
}

// redisOne runs one command and answers with its reply.
func (s *server) redisOne(x *exchange, r *http.Request, words func() ([][]byte, error)) {
	form, err := s.redisOpen(x, r)
	if err != nil {
		x.refuseRedis(err)
		return
	}
	list, err := words()
	if err != nil {
		x.refuseRedis(err)
		return
	}
	replies := s.options.Redis.Once(r.RemoteAddr).Run(r.Context(), [][][]byte{list}, s.limits.Wait)
	reply := replies[0]
	status := http.StatusOK
	if failed, ok := reply.(command.Error); ok {
		status = redisStatus(failed)
	}
	if form.resp2 {
		x.send(status, typeBinary, resp.Append(nil, reply, 2))
		return
	}
	x.send(status, typeJSON, appendOutcome(nil, reply, form.base64))
}

// redisPipeline runs commands one after the other, each with its own fate.
func (s *server) redisPipeline(x *exchange, r *http.Request) {
	form, commands, err := s.redisList(x, r)
	if err != nil {
		x.refuseRedis(err)
		return
	}
	replies := s.options.Redis.Once(r.RemoteAddr).Run(r.Context(), commands, s.limits.Wait)
	if form.resp2 {
		x.send(http.StatusOK, typeBinary, resp.Append(nil, command.Array(replies), 2))
		return
	}
	x.send(http.StatusOK, typeJSON, appendOutcomes(nil, replies, form.base64))
}

// redisMultiExec runs commands as one transaction.
func (s *server) redisMultiExec(x *exchange, r *http.Request) {
	form, commands, err := s.redisList(x, r)
	if err != nil {
		x.refuseRedis(err)
		return
	}
	switch reply := s.options.Redis.Once(r.RemoteAddr).Exec(r.Context(), commands).(type) {
	case command.Array:
		x.send(http.StatusOK, typeJSON, appendOutcomes(nil, reply, form.base64))
	case command.Error:
		x.send(redisStatus(reply), typeJSON, appendOutcome(nil, reply, false))
	default:
		x.send(http.StatusInternalServerError, typeJSON, appendOutcome(nil, command.ErrInternal, false))
	}
}

// redisList opens a request whose body is a list of commands.
func (s *server) redisList(x *exchange, r *http.Request) (form redisForm, commands [][][]byte, err error) {
	if form, err = s.redisOpen(x, r); err != nil {
		return form, nil, err
	}
	body, err := s.redisJSON(r)
	if err != nil {
		return form, nil, err
	}
	commands, err = parseCommands(body, s.limits.BatchOperations)
	return form, commands, err
}

// redisTokens numbers the answers. With the start of the process it makes a
// token that no other answer has.
var redisTokens atomic.Uint64

// redisOpen is the beginning of every request to the door.
func (s *server) redisOpen(x *exchange, r *http.Request) (redisForm, error) {
	if s.options.Redis == nil {
		return redisForm{}, &redisError{http.StatusNotFound, "ERR commands are not offered here"}
	}
	x.syncToken()
	if !s.options.CORS.mayWrite(r) {
		return redisForm{}, &redisError{http.StatusForbidden, "ERR browsers may not send commands from this origin; it can be allowed in the configuration"}
	}
	return redisFormOf(r)
}

// syncToken marks the answer with a value that no other answer has. Whoever
// reads has the writes before it whatever token he sends: there is one store.
func (x *exchange) syncToken() {
	noStore(x)
	x.Header()[redisSyncToken] = []string{x.id + "-" + strconv.FormatUint(redisTokens.Add(1), 36)}
}

// mayWrite reports whether a request may write, whatever its method: commands
// in the path write on GET, which any page can make a browser send.
func (c CORS) mayWrite(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	if site == "" || site == "same-origin" || site == "none" {
		return true
	}
	return slices.Contains(c.Origins, "*") || slices.Contains(c.Origins, r.Header.Get("Origin"))
}

// refuseRedis answers with what is wrong with the request.
func (x *exchange) refuseRedis(err error) {
	var refused *redisError
	if !errors.As(err, &refused) {
		x.server.log.Error("an error without a status", "request", x.id, "error", err)
		refused = &redisError{http.StatusInternalServerError, string(command.ErrInternal)}
	}
	x.syncToken()
	x.send(refused.status, typeJSON, appendOutcome(nil, command.Error(refused.text), false))
}

// redisStatus is the status of a command that failed: the client's mistake,
// unless the service says otherwise.
func redisStatus(failed command.Error) int {
	switch {
	case failed == command.ErrInternal:
		return http.StatusInternalServerError
	case strings.HasPrefix(string(failed), "TRYAGAIN "):
		return http.StatusServiceUnavailable
	}
	return http.StatusBadRequest
}

// redisJSON reads the body of a request whose commands stand in it. A query
// would be lost, and with it what somebody meant to be an option.
func (s *server) redisJSON(r *http.Request) ([]byte, error) {
	if words, err := queryWords(nil, r.URL.RawQuery); err != nil || len(words) > 0 {
		return nil, badCommand("ERR the query is for commands in the path; this one stands in the body")
	}
	return s.redisBody(r)
}

// redisBody reads the whole body.
func (s *server) redisBody(r *http.Request) ([]byte, error) {
	body, err := readBody(nil, r, s.limits.BodyBytes)
	var refused *refusal
	if errors.As(err, &refused) {
		if refused.kind == service.KindTooLarge {
			return nil, &redisError{http.StatusRequestEntityTooLarge,
				"ERR max request size exceeded. Limit: " + strconv.FormatInt(s.limits.BodyBytes, 10) + " bytes"}
		}
		return nil, badCommand("ERR the body ends before it is complete")
	}
	return body, err
}
