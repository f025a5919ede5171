/** Event names and the data each carries. */
type EventMap = Record<string, unknown>;
