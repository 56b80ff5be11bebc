package encoding

import "encoding/binary"

// ContractRecord is what the store keeps of a contract, so that its id and its
// revision outlive the process and the contract file.
type ContractRecord struct {
	ID       uint32 // stands for the name in meta values
	Revision uint64 // rises whenever the hash changes
	Hash     [32]byte
}

// AppendContractKey appends the key of a contract's record.
func AppendContractKey(dst []byte, name string) []byte {
	return append(append(dst, byte(FamilyContract)), name...)
}

// ParseContractKey reads a contract's key.
func ParseContractKey(k []byte) (name string, err error) {
	c := cursor{rest: k}
	c.family(FamilyContract)
	name = string(c.tail())
	return name, c.end("contract key")
}

// AppendContract appends r.
func AppendContract(dst []byte, r *ContractRecord) []byte {
	dst = binary.LittleEndian.AppendUint32(append(dst, 0), r.ID)
	dst = binary.AppendUvarint(dst, r.Revision)
	return append(dst, r.Hash[:]...)
}

// ParseContract reads src into r. After an error r holds nothing of use.
func ParseContract(src []byte, r *ContractRecord) error {
	c := cursor{rest: src}
	c.flags(0)
	*r = ContractRecord{ID: c.u32("id"), Revision: c.uvarint("revision")}
	copy(r.Hash[:], c.take(32, "hash"))
	return c.end("contract value")
}
