package verify

// Code says what kind of fault was found. Codes are stable.
type Code string

// The codes. Where it says mended, Repair can do so; what cannot be derived
// from other records is left as it is.
const (
	CodeChecksum    Code = "checksum.wrong"    // a part of a table is not what was written; nothing is mended in such a store
	CodeLog         Code = "log.damaged"       // so is a log of records that are in no table yet
	CodeUnreadable  Code = "record.unreadable" // the engine cannot read a record
	CodeCorrupt     Code = "record.corrupt"    // a record is not of the form of its family
	CodeForm        Code = "record.form"       // a record means something but is not how that is written; mended
	CodeUnknown     Code = "record.unknown"    // nothing writes such records
	CodeOrphan      Code = "record.orphan"     // data of no key, which nothing would delete; mended: it is deleted
	CodeForeign     Code = "record.foreign"    // data of another type than its key's
	CodeFormat      Code = "format.wrong"      // the format record is missing (mended) or unreadable
	CodeSequence    Code = "sequence.wrong"    // a sequence is missing or behind what was handed out; mended
	CodeClock       Code = "clock.wrong"       // the clock's mark is missing or behind a record; mended unless a record is from the future
	CodeTime        Code = "time.wrong"        // a record is from the future, or from before the epoch
	CodeNamespace   Code = "namespace.wrong"   // keys in a namespace without a name (mended if one such and one name that is missing), a missing name (mended), or two names for one
	CodeCounter     Code = "counter.wrong"     // the number of keys of a namespace; mended
	CodeMeta        Code = "meta.wrong"        // fields of a meta record that do not go together; mended
	CodeVersion     Code = "version.wrong"     // a version is 0 or in use twice
	CodeCount       Code = "count.wrong"       // a key counts other than its elements; mended
	CodeLost        Code = "elements.lost"     // a key has none of its elements
	CodeList        Code = "list.wrong"        // bounds or indexes of a list; mended
	CodeOutside     Code = "list.outside"      // dead elements of a list that nothing would delete; mended
	CodeValue       Code = "value.wrong"       // a set's member has a value; mended
	CodeOrder       Code = "order.wrong"       // the two orders of a sorted set differ; mended
	CodeMarks       Code = "marks.wrong"       // an element of a sorted set lies outside its water marks; mended
	CodeTree        Code = "tree.wrong"        // a counted tree is not that of its elements; mended: the next change builds it anew
	CodeExpiry      Code = "expiry.missing"    // a key expires and the worker would not find it; mended
	CodeExpiryStray Code = "expiry.stray"      // an entry of the expiry index is of no key; mended
	CodeAlias       Code = "alias.missing"     // a renamed key is not known where its data lies; mended
	CodeAliasStray  Code = "alias.stray"       // an alias names a key whose data lies elsewhere; mended
	CodeContract    Code = "contract.wrong"    // two contracts with one number, or a number that is none
	CodeJudged      Code = "contract.unknown"  // a key was judged by a contract or revision that never was; mended: it counts as not judged
	CodeUntrue      Code = "contract.untrue"   // a key is marked as conforming to a contract and does not; mended: the mark is taken away
	CodeViolated    Code = "contract.violated" // a key that is not marked breaks its contract; only where that is asked for
	CodeLive        Code = "reclaim.live"      // data of a key waits to be deleted, or to be given up; mended: it no longer does
	CodeReclaim     Code = "reclaim.wrong"     // a reclaim record names nothing, or has passed what it should delete; mended
)
