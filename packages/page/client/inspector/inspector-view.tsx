import { useEffect, useMemo, useState } from "preact/hooks";
import type { Settings } from "../settings.ts";
import { InspectorClient } from "./inspector-client.ts";
import { readInspectorPlace } from "./inspector-place.ts";
import { RunList } from "./run-list.tsx";
import { RunView } from "./run-view.tsx";
import { strings } from "../strings/strings.ts";

/**
 * The view of the inspector: the list of runs, and one run as a tree of steps. The address contains the run's id:
 * `#/inspector/…`, and the id of a session if only the session's runs are listed.
 */
export function InspectorView({ settings }: { settings: Settings }) {
  const client = useMemo(() => new InspectorClient(settings.base), [settings]);
  const [{ runId, sessionId }, setPlace] = useState(readInspectorPlace(location.hash));
  useEffect(() => {
    const follow = () => setPlace(readInspectorPlace(location.hash));
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return (
    <main class="inspector" data-run={runId !== undefined}>
      <h1 class="unseen">{strings.common.inspector}</h1>
      <RunList client={client} runId={runId} sessionId={sessionId} />
      {runId === undefined ? (
        <section class="run hint" aria-label={strings.common.run}>
          <p class="muted">{strings.inspector.choose}</p>
        </section>
      ) : (
        <RunView client={client} runId={runId} sessionId={sessionId} />
      )}
    </main>
  );
}
