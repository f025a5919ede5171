import { escapeControls } from "./escape-controls.ts";
import type { LogEntry } from "./log-entry.ts";

/** Writes an entry as one line of JSON. A field that has the name of one of the entry's own parts goes by `field.<name>`. */
export function formatJson({ time, level, prefix, message, fields }: LogEntry): string {
  const own = { time: time.toISOString(), level, ...(prefix === "" ? {} : { prefix }), message };
  const given = Object.entries(fields).map(([name, value]) => [
    Object.hasOwn(own, name) ? `field.${name}` : name,
    value,
  ]);
  return escapeControls(JSON.stringify({ ...own, ...Object.fromEntries(given) }));
}
