package graph

// The types of events. Three of them, and error and limit, are also what hooks are for.
const (
	eventGraphStarted     = "graph_started"
	eventStepStarted      = "step_started"
	eventStepCompleted    = "step_completed"
	eventForeachCompleted = "foreach_completed"
	eventStateCheckpoint  = "state_checkpoint"
	eventGraphCompleted   = "graph_completed"
	eventGraphError       = "graph_error"
	eventGraphCancelled   = "graph_cancelled"
	eventWarning          = "warning"

	eventAfterStep = "after_step"
	eventError     = "error"
	eventLimit     = "limit"
)
