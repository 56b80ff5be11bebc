// Package servicetest tests the service and the store under it as a whole:
// random operations under random contracts, each followed by a second look at
// every record; the same operations beside Redis's; and power losses between
// them.
package servicetest
