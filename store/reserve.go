package store

// takesAway are the commands that only ever remove. Below the watermark of free
// space they go on, out of the reserve: a deletion has to note what is left
// behind, and the new meta record of a collection that lost elements.
var takesAway = map[string]bool{
	"DEL":  true,
	"HDEL": true,
	"LPOP": true, "RPOP": true, "LMPOP": true, "BLPOP": true, "BRPOP": true, "BLMPOP": true,
	"SREM": true, "SPOP": true,
	"ZREM": true, "ZREMRANGEBYLEX": true, "ZREMRANGEBYRANK": true, "ZREMRANGEBYSCORE": true,
	"ZPOPMIN": true, "ZPOPMAX": true, "ZMPOP": true, "BZPOPMIN": true, "BZPOPMAX": true, "BZMPOP": true,
}

// givesBack reports whether an operation with these calls only removes. LTRIM
// and LREM are not among them: they may write much of a list anew.
func givesBack(calls []Call) bool {
	writes := false
	for _, c := range calls {
		if c.Read {
			continue
		}
		if !takesAway[c.Verb] {
			return false
		}
		writes = true
	}
	return writes
}
