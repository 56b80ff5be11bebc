package service

import "context"

const CodeWatched = "watched"

func (s *Service) Exec(ctx context.Context, ops []Op) ([]Result, error) { return s.Pipeline(ctx, ops) }
