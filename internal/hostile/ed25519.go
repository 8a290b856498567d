package hostile

// Signature is a message with a key and a signature over it; the last two in hexadecimal.
type Signature struct{ Name, Key, Message, Signature string }

// Parts of the signatures below. signer is an honest key: a point of the group's prime order.
const (
	signer  = "f0e884b93185bdfac7c5e0367752305077ff7f5fbddf646878ebbe391c72fa83"
	zero    = "0000000000000000000000000000000000000000000000000000000000000000"
	neutral = "0100000000000000000000000000000000000000000000000000000000000000"
)

// Honest is the control: a signature that the key behind signer made as RFC 8032 says.
var Honest = Signature{"honest", signer, "rye",
	"17ffad8068dc0de9935d36636f3ad1b5de6de3413b12388e453b05f2a4c1d3db" + "4f28481878bc2fd9e3b323b19702685c4e688e3bfb9af6cb63c7fcee0b3fa807"}

// Signatures are those that some Ed25519 verifiers accept and a strict one must not: the cases of the Wycheproof suite
// and of "Taming the many EdDSAs" (ePrint 2020/1244), made anew from the curve's equations. A is the key, R and S are the
// halves of the signature, L is the order of the group and p the prime. Those with an A of small order were made
// without any private key.
var Signatures = []Signature{
	{"S + L", signer, "rye",
		"17ffad8068dc0de9935d36636f3ad1b5de6de3413b12388e453b05f2a4c1d3db" + "3cfc3d75921f4231ba501b5476fc46714e688e3bfb9af6cb63c7fcee0b3fa817"},
	{"S + 8L", signer, "rye",
		"17ffad8068dc0de9935d36636f3ad1b5de6de3413b12388e453b05f2a4c1d3db" + "b7c7f6ff4ad5c299969ae0c88cd15f034f688e3bfb9af6cb63c7fcee0b3fa887"},
	{"A of order 1", "0100000000000000000000000000000000000000000000000000000000000000", "0",
		neutral + zero},
	{"A of order 8, first", "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a", "1",
		neutral + zero},
	{"A of order 4, first", "0000000000000000000000000000000000000000000000000000000000000080", "5",
		neutral + zero},
	{"A of order 8, second", "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", "3",
		neutral + zero},
	{"A of order 2", "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", "1",
		neutral + zero},
	{"A of order 8, third", "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85", "0",
		neutral + zero},
	{"A of order 4, second", "0000000000000000000000000000000000000000000000000000000000000000", "7",
		neutral + zero},
	{"A of order 8, fourth", "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa", "0",
		neutral + zero},
	{"A of order 8, R honest", "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a", "8",
		"17ffad8068dc0de9935d36636f3ad1b5de6de3413b12388e453b05f2a4c1d3db" + "15cd5b0700000000000000000000000000000000000000000000000000000000"},
	{"A = p + 1, a second spelling of the neutral element", "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", "0",
		neutral + zero},
	{"A = 1 with the sign bit", "0100000000000000000000000000000000000000000000000000000000000080", "0",
		neutral + zero},
	{"A = p, a second spelling of a point of order 4", "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", "3",
		neutral + zero},
	{"A = p with the sign bit", "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", "0",
		neutral + zero},
	{"A = p + 1 with the sign bit", "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", "0",
		neutral + zero},
	{"A = p - 1 with the sign bit", "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", "2",
		neutral + zero},
	{"R of order 1, honest A", signer, "rye",
		neutral + "562c2f9e9606e4754df34978426617f6f2bb537c1a8a850165e922ba56147307"},
	{"R of order 8, honest A", signer, "rye",
		"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a" + "be58834976d5caecf37c4450550ce37310232f50a3199ea410d508258d0e9d02"},
	{"R of order 4, honest A", signer, "rye",
		"0000000000000000000000000000000000000000000000000000000000000080" + "6dadefa3baabc39d601ee4292ce0020f50300b69330e2cb6e5fd48bffb0ae808"},
	{"R of order 2, honest A", signer, "rye",
		"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f" + "ce6df9c0bf06f1d25f8362939d410175b08467ae9269d4770bb89ee0f3374d0d"},
	{"R = p + 1, a second spelling of the neutral element, hashed as spelt", signer, "rye",
		"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f" + "f3344c6370cf4869b872180bc045fa3fe6438a22f4db508a8f1ede29b5327104"},
	{"R = p + 1, a second spelling of the neutral element, hashed as the point", signer, "rye",
		"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f" + "562c2f9e9606e4754df34978426617f6f2bb537c1a8a850165e922ba56147307"},
	{"R = 1 with the sign bit, hashed as spelt", signer, "rye",
		"0100000000000000000000000000000000000000000000000000000000000080" + "43ee6430cfcdf179d05d3c8dfe1ba53a0c84907de70771cf3a4e188b6500e304"},
	{"R = 1 with the sign bit, hashed as the point", signer, "rye",
		"0100000000000000000000000000000000000000000000000000000000000080" + "562c2f9e9606e4754df34978426617f6f2bb537c1a8a850165e922ba56147307"},
	{"R of mixed order: fits the equation with cofactor only", signer, "rye",
		"d63c01223147541df4e170763e9e2788a8bf5971f52a93c5829dbe6f5ff6bba9" + "2b7d5290e174eed6dbd369b00e15115c46923eb7f628b207adb9f68fcb524f0c"},
	{"A of mixed order: fits the equation with cofactor only", "fe486d0e102862dc2467c9e481d8b4ea393d0bc548e9c4b6857cbefc2a80f2c8", "0",
		"17ffad8068dc0de9935d36636f3ad1b5de6de3413b12388e453b05f2a4c1d3db" + "94a2ebbb96f0492bed25d8393aeb2ddc1778c36b7394eee2b558110136a55808"},
	{"A is not on the curve", "0200000000000000000000000000000000000000000000000000000000000000", "rye",
		"17ffad8068dc0de9935d36636f3ad1b5de6de3413b12388e453b05f2a4c1d3db" + "4f28481878bc2fd9e3b323b19702685c4e688e3bfb9af6cb63c7fcee0b3fa807"},
	{"R is not on the curve", signer, "rye",
		"0200000000000000000000000000000000000000000000000000000000000000" + "4f28481878bc2fd9e3b323b19702685c4e688e3bfb9af6cb63c7fcee0b3fa807"},
	{"all zero", signer, "rye", zero + zero},
	{"all zero, key too", zero, "rye", zero + zero},
	{"S is L", signer, "rye", neutral + "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010"},
	{"S is zero", signer, "rye", Honest.Signature[:64] + zero},
	{"S has its highest bits set", signer, "rye", Honest.Signature[:126] + "e7"},
	{"another message", signer, "ryf", Honest.Signature},
	{"halves exchanged", signer, "rye", Honest.Signature[64:] + Honest.Signature[:64]},
	{"sign of R", signer, "rye", Honest.Signature[:62] + "5b" + Honest.Signature[64:]},
}
