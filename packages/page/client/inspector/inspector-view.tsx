import type { Settings } from "../settings.ts";

/** The view of the inspector: the runs of the log, and a run as a tree of steps. */
export function InspectorView({ settings }: { settings: Settings }) {
  return (
    <main class="inspector">
      <h1>Inspector</h1>
      <p>{settings.title} has no inspector yet.</p>
    </main>
  );
}
