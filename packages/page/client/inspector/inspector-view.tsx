import { useEffect, useMemo, useState } from "preact/hooks";
import type { Settings } from "../settings.ts";
import { InspectorClient } from "./inspector-client.ts";
import { readInspectorPlace } from "./inspector-place.ts";
import { RunList } from "./run-list.tsx";
import { RunView } from "./run-view.tsx";
import { strings } from "../strings/strings.ts";
import { inspectorStrings } from "../strings/inspector-strings.ts";

/** The properties of the view: the keys that the user has entered are sent with model calls that are made again. */
export type InspectorProps = {
  readonly settings: Settings;
  readonly keys: { headers(): Record<string, string> };
};

/**
 * The view of the inspector: the list of runs, and one run as a tree of steps. The address contains the run's id:
 * `#/inspector/…`, and the id of a session if only the session's runs are listed.
 */
export function InspectorView({ settings, keys }: InspectorProps) {
  const client = useMemo(() => {
    return new InspectorClient(settings.base, settings.hasKeys ? () => keys.headers() : undefined);
  }, [settings, keys]);
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
          <p class="muted">{inspectorStrings.choose}</p>
        </section>
      ) : (
        <RunView client={client} runId={runId} sessionId={sessionId} />
      )}
    </main>
  );
}
