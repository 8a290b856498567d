package agent

// Effect is work that is stored now and run later, when the host calls Tick.
type Effect struct {
	ID string `json:"id"`
}
