package service

import (
	"context"
	"errors"

	"keypact/contracts"
	"keypact/store"
)

// ContractSummary is one line of the list of contracts.
type ContractSummary struct {
	Name        string         `json:"name"`
	Key         string         `json:"key"`
	Type        contracts.Type `json:"type"`
	Mode        contracts.Mode `json:"mode"`
	Revision    uint64         `json:"revision"`
	Description string         `json:"description,omitzero"`
	Owner       string         `json:"owner,omitzero"`
}

// Explanation says which contract governs a key and what follows from that.
type Explanation = contracts.Explanation

// Contracts lists the contracts in force, by name.
func (s *Service) Contracts() []ContractSummary {
	all := s.store.Contracts().Contracts()
	list := make([]ContractSummary, len(all))
	for i, c := range all {
		list[i] = ContractSummary{
			Name: c.Name, Key: c.Key, Type: c.Type, Mode: c.Mode, Revision: c.Revision,
			Description: c.Description, Owner: c.Owner,
		}
	}
	return list
}

// Contract is one contract in the words of its file, ready for JSON. An
// unknown name is an *Error of KindNotFound.
func (s *Service) Contract(name string) (any, error) {
	c := s.store.Contracts().Get(name)
	if c == nil {
		return nil, &Error{Kind: KindNotFound, Code: "not-found", Detail: "There is no contract of that name."}
	}
	return c.Document(), nil
}

// Explain says which contract governs a key, absent or not, and what it asks.
func (s *Service) Explain(key []byte) Explanation { return s.store.Contracts().Explain(key) }

// Verdict is the answer of Validate.
type Verdict struct {
	Valid      bool
	Violations []store.Violation // of contracts that enforce
	Warnings   []store.Violation // of contracts in mode warn
}

// Validate judges an operation as Do would, on what is stored now, and writes
// nothing. An operation that fails for another reason than a contract is an
// *Error, as in Do.
func (s *Service) Validate(ctx context.Context, op Op) (Verdict, error) {
	if err := s.prepare(op); err != nil {
		return Verdict{}, s.report(ctx, op, err)
	}
	out, err := s.store.DryRun(ctx, op)
	if err == nil {
		err = out.Err
	}
	var refused *store.ContractError
	if errors.As(err, &refused) {
		return Verdict{Violations: refused.Violations}, nil
	}
	if err != nil {
		return Verdict{}, s.report(ctx, op, err)
	}
	return Verdict{Valid: true, Warnings: out.Warnings}, nil
}
