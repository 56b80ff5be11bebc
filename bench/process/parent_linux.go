package process

import (
	"os/exec"
	"syscall"
)

// endWithParent makes the kernel end the process if its parent dies first, so
// that an aborted run leaves nothing behind.
func endWithParent(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
