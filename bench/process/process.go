// Package process runs the real binary as a process of its own, for tests and
// measurements that need one: to kill it, to start two of them, to see what it
// prints and how it ends.
package process

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Build compiles the service into dir and returns the path of the binary. With
// race it reports data races; that needs a C compiler.
func Build(ctx context.Context, dir string, race bool) (string, error) {
	binary := filepath.Join(dir, "keypact")
	args := []string{"build", "-o", binary}
	env := append(os.Environ(), "CGO_ENABLED=0")
	if race {
		args = append(args, "-race")
		env = append(os.Environ(), "CGO_ENABLED=1")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "keypact")...)
	cmd.Env = env
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return binary, nil
}

// Process is a running service.
type Process struct {
	// URL is the service's address without a slash at its end. It is empty if
	// the process ended before it served.
	URL string
	// PID is the process's id.
	PID int

	cmd    *exec.Cmd
	mu     sync.Mutex
	output bytes.Buffer
	lines  *sync.Cond
	done   chan struct{}
	err    error
	killed bool
}

// serving is how the service says where it listens.
var serving = regexp.MustCompile(`(?m)^keypact .* serves (http://[^ ]*)/ from `)

// startPatience bounds how long a process may take to serve or to end.
const startPatience = 2 * time.Minute

// Start runs "serve" with these arguments on a free port of loopback and
// returns once it serves. If it ends before, the process is returned with an
// error: look at Output and ExitCode.
func Start(binary string, args ...string) (*Process, error) {
	return StartWith(exec.Command(binary, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...))
}

// StartWith is Start with a command made by the caller, who may set its
// environment. Its outputs are taken over.
func StartWith(cmd *exec.Cmd) (*Process, error) {
	p := &Process{cmd: cmd, done: make(chan struct{})}
	p.lines = sync.NewCond(&p.mu)
	read, write, err := os.Pipe()
	if err != nil {
		return p, err
	}
	cmd.Stdout, cmd.Stderr = write, write
	endWithParent(cmd)
	err = cmd.Start()
	_ = write.Close() // the process has its own end
	if err != nil {
		_ = read.Close()
		return p, err
	}
	p.PID = cmd.Process.Pid
	go p.follow(read)
	deadline := time.AfterFunc(startPatience, func() { _ = p.Signal(syscall.SIGKILL) })
	defer deadline.Stop()
	match := p.AwaitLine(serving)
	if match == nil {
		<-p.done
		return p, fmt.Errorf("the service ended before it served: %w\n%s", p.end(), p.Output())
	}
	p.URL = match[1]
	return p, nil
}

// follow collects what the process says until it ends.
func (p *Process) follow(output io.ReadCloser) {
	defer func() { _ = output.Close() }()
	lines := bufio.NewReader(output)
	for {
		line, err := lines.ReadString('\n')
		p.mu.Lock()
		p.output.WriteString(line)
		p.mu.Unlock()
		p.lines.Broadcast()
		if err != nil {
			break
		}
	}
	err := p.cmd.Wait()
	p.mu.Lock()
	p.err = err
	close(p.done)
	p.mu.Unlock()
	p.lines.Broadcast()
}

// AwaitLine waits for a line of the log that matches, from the first line on,
// and returns its submatches. It returns nil if the process ends without one.
func (p *Process) AwaitLine(pattern *regexp.Regexp) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if match := pattern.FindStringSubmatch(p.output.String()); match != nil {
			return match
		}
		select {
		case <-p.done:
			return nil
		default:
			p.lines.Wait()
		}
	}
}

// Output is what the process wrote so far, to both of its outputs.
func (p *Process) Output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output.String()
}

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// ExitCode waits for the end and returns the code; -1 if a signal ended it.
func (p *Process) ExitCode() int {
	<-p.done
	return p.cmd.ProcessState.ExitCode()
}

// Signal sends a signal. A process that has ended gets none.
func (p *Process) Signal(s syscall.Signal) error {
	select {
	case <-p.done:
		return os.ErrProcessDone
	default:
		return p.cmd.Process.Signal(s)
	}
}

// Kill ends the process as kill -9 does and waits for its end.
func (p *Process) Kill() {
	p.mu.Lock()
	p.killed = true
	p.mu.Unlock()
	_ = p.Signal(syscall.SIGKILL)
	<-p.done
}

// Stop asks the process to end and waits. An exit code other than 0, a report of
// a data race, or no end in two minutes is an error that holds the process's
// last words: the traces of its goroutines in the latter case. A process that
// was killed is left alone.
func (p *Process) Stop() error {
	deadline := time.AfterFunc(startPatience, func() { _ = p.Signal(syscall.SIGQUIT) })
	defer deadline.Stop()
	if err := p.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-p.done
	if err := p.end(); err != nil {
		return fmt.Errorf("%w\n%s", err, p.Output())
	}
	return nil
}

// end is how the process ended: nil if well.
func (p *Process) end() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.killed {
		return nil
	}
	if strings.Contains(p.output.String(), "DATA RACE") {
		return errors.New("the process reports a data race")
	}
	return p.err
}
