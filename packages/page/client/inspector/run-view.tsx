import { useState } from "preact/hooks";
import type { InspectedRun, InspectedRunDetails, PlacedEvent } from "../../src/inspector/inspected-run.ts";
import { formatCount, formatDuration } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { Deliveries } from "./deliveries.tsx";
import { WorkflowGraph } from "./graph/workflow-graph.tsx";
import type { InspectorClient } from "./inspector-client.ts";
import { addressOfRun } from "./inspector-place.ts";
import { ModelRequest } from "./model-request.tsx";
import { RunAgain } from "./run-again.tsx";
import { StatusMark, statusName } from "./status-mark.tsx";
import type { RunTree, TreeStep } from "./run-tree.ts";
import { StepDetails } from "./step-details.tsx";
import { StepTree } from "./step-tree.tsx";
import { useNow, useRun } from "./use-run.ts";
import type { ReadRun } from "./use-run.ts";
import { ValueView } from "./value-view.tsx";
import { toVisible } from "../ui/unseen.ts";
import { locale, strings } from "../strings/strings.ts";
import { inspectorStrings } from "../strings/inspector-strings.ts";

/** The number of events that are shown in their original form. */
const mostEvents = 300;

type RunProps = {
  readonly client: InspectorClient;
  readonly runId: string;
  /** The session whose runs are listed beside this run. Undefined if the runs of all sessions are listed. */
  readonly sessionId?: string | undefined;
};

/**
 * One run: its facts, its steps as a tree, the details of one step, and its events. It updates while the run is active.
 */
export function RunView({ client, runId, sessionId }: RunProps) {
  const read = useRun(client, runId);
  const { details, tree, failure } = read;
  if (details !== undefined && tree !== undefined)
    return <OpenRun key={runId} {...{ client, sessionId }} {...read} details={details} tree={tree} />;
  return (
    <section class="run" aria-label={strings.common.run}>
      <div class="overview">
        <BackLink sessionId={sessionId} />
        {failure === undefined ? <p class="muted">{strings.common.loading}</p> : <Failure message={failure} />}
      </div>
    </section>
  );
}

type OpenRunProps = ReadRun & {
  readonly client: InspectorClient;
  readonly sessionId: string | undefined;
  readonly details: InspectedRunDetails;
  readonly tree: RunTree;
};

function OpenRun({ client, sessionId, details, tree, events, failure, isBroken }: OpenRunProps) {
  const [selected, setSelected] = useState<string>();
  const now = useNow(!tree.isOver);
  const step = selected === undefined ? undefined : findStep(tree.steps, selected);
  const status = statusOf(details.run, tree);
  return (
    <section class="run" aria-label={strings.common.run} data-selected={step !== undefined}>
      <div class="overview">
        <BackLink sessionId={sessionId} />
        <RunHead run={details.run} tree={tree} status={status} now={now} />
        <p class="unseen" role="status">
          {isBroken ? inspectorStrings.again : inspectorStrings.state(statusName(status))}
        </p>
        {isBroken && <p class="muted">{inspectorStrings.brokeAgain}</p>}
        {failure !== undefined && <Failure message={failure} />}
        {tree.error !== undefined && <Failure message={`${tree.error.code}: ${tree.error.message}`} />}
        <RunEnds input={details.input} output={tree.output} />
        <WorkflowGraph declared={details.steps} tree={tree} now={now} selected={selected} onSelect={setSelected} />
        <h3>{strings.common.steps}</h3>
        {tree.steps.length === 0 && (
          <p class="muted">{tree.isOver ? inspectorStrings.noSteps : inspectorStrings.notBegun}</p>
        )}
        <StepTree tree={tree} now={now} selected={selected} onSelect={setSelected} />
        {details.deliveries !== undefined && <Deliveries deliveries={details.deliveries} />}
        <RawEvents events={events} />
      </div>
      {step !== undefined && (
        <StepDetails
          step={step}
          again={<Again client={client} details={details} step={step} />}
          request={<Request client={client} details={details} step={step} />}
          onClose={() => setSelected(undefined)}
        />
      )}
    </section>
  );
}

type RequestProps = { client: InspectorClient; details: InspectedRunDetails; step: TreeStep };

/**
 * The request of a step that is a model call. It is read again once the call is over, because the call may have been
 * repeated.
 */
function Request({ client, details: { run, hasModelCalls }, step: { logKey, status } }: RequestProps) {
  if (hasModelCalls !== true || logKey === undefined) return null;
  return <ModelRequest key={`${logKey} ${status}`} {...{ client, logKey }} runId={run.runId} />;
}

/** A second try of a step that is a model call, with one of the models that the service offers. */
function Again({ client, details: { run, models = [] }, step }: RequestProps) {
  const { logKey, status } = step;
  if (models.length === 0 || logKey === undefined) return null;
  return <RunAgain key={`${logKey} ${status}`} {...{ client, step, logKey, models }} runId={run.runId} />;
}

function RunEnds({ input, output }: { input: unknown; output: unknown }) {
  return (
    <div class="ends">
      {input !== undefined && <ValueView name={strings.common.input} value={input} />}
      {output !== undefined && <ValueView name={strings.common.result} value={output} />}
    </div>
  );
}

function BackLink({ sessionId }: { sessionId: string | undefined }) {
  return (
    <a class="back" href={addressOfRun({ sessionId })}>
      <Icon name="chevron" size={16} /> {inspectorStrings.all}
    </a>
  );
}

function Failure({ message }: { message: string }) {
  return (
    <p class="failure" role="alert">
      <Icon name="warning" size={18} />
      <span>{toVisible(message)}</span>
    </p>
  );
}

function RunHead({ run, tree, status, now }: { run: InspectedRun; tree: RunTree; status: string; now: number }) {
  const { usage, startMs, endMs = now, attempts } = tree;
  // If another process takes over the run, the log shows the new process earlier than the run's record does.
  const node = attempts.at(-1)?.node ?? run.node;
  return (
    <header class="run-head">
      <h2>
        <Icon name={run.kind} size={22} />
        <bdi>{toVisible(run.name)}</bdi>
        <StatusMark status={status} />
      </h2>
      <dl class="run-facts">
        <Fact name={inspectorStrings.took}>{formatDuration(Math.max(0, endMs - startMs))}</Fact>
        {usage !== undefined && (
          <Fact name={strings.common.tokens}>
            {formatCount(usage.totalTokens)}{" "}
            <small>
              {strings.common.inAndOut(formatCount(usage.promptTokens), formatCount(usage.completionTokens))}
            </small>
          </Fact>
        )}
        <Fact name={inspectorStrings.began}>{new Date(startMs).toLocaleString(locale)}</Fact>
        {attempts.length > 1 && <Fact name={inspectorStrings.attempts}>{String(attempts.length)}</Fact>}
        {node !== undefined && (
          <Fact name={inspectorStrings.node}>
            <Id id={node} />
          </Fact>
        )}
        <Fact name={inspectorStrings.session}>
          <a href={`#/s/${encodeURIComponent(run.sessionId)}`}>
            <Id id={run.sessionId} />
          </a>{" "}
          <a class="all-runs" href={addressOfRun({ runId: run.runId, sessionId: run.sessionId })}>
            {inspectorStrings.allOfSession}
          </a>
        </Fact>
        <Fact name={strings.common.run}>
          <Id id={run.runId} />
        </Fact>
      </dl>
    </header>
  );
}

function Id({ id }: { id: string }) {
  return (
    <bdi class="id" title={toVisible(id)}>
      {toVisible(id)}
    </bdi>
  );
}

function Fact({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The events of the log in their original form. */
function RawEvents({ events }: { events: readonly PlacedEvent[] }) {
  const [isOpen, setOpen] = useState(false);
  const shown = events.slice(-mostEvents);
  return (
    <details class="raw" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {inspectorStrings.logEvents} <small>{formatCount(events.length)}</small>
      </summary>
      {isOpen && shown.length < events.length && (
        <p class="muted">{inspectorStrings.newestOf(formatCount(shown.length))}</p>
      )}
      {isOpen && (
        <ol tabIndex={0} aria-label={inspectorStrings.events}>
          {shown.map(({ id, event }) => (
            <li key={id}>
              <code>{id}</code> <b>{event.type}</b> <code>{toVisible(JSON.stringify(event).slice(0, 2000))}</code>
            </li>
          ))}
        </ol>
      )}
    </details>
  );
}

function findStep(steps: readonly TreeStep[], key: string): TreeStep | undefined {
  for (const step of steps) {
    const found = step.key === key ? step : findStep(step.children, key);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Returns the status of a run. The status of an active run is derived from its steps, which change before the record is
 * read again.
 */
function statusOf(run: InspectedRun, { isOver, steps, error }: RunTree): string {
  if (run.endedAt !== undefined) return run.status;
  if (isOver) return error === undefined ? "completed" : error.code === "cancelled" ? "cancelled" : "error";
  const has = (wanted: string) => steps.some(({ status }) => status === wanted);
  if (has("running")) return "running";
  return has("waiting") ? "waiting" : run.status;
}
