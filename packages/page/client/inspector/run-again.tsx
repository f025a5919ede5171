import { useState } from "preact/hooks";
import type { InspectedModelCall, RepeatedModelCall } from "../../src/inspector/inspected-run.ts";
import { formatCount, formatDuration, formatValue } from "../ui/format.ts";
import { toVisible } from "../ui/unseen.ts";
import { strings } from "../strings/strings.ts";
import { inspectorStrings } from "../strings/inspector-strings.ts";
import { compareTexts } from "./differences.ts";
import type { Piece } from "./differences.ts";
import type { TreeStep } from "./run-tree.ts";
import { useModelCall } from "./use-model-call.ts";
import type { CallPlace } from "./use-model-call.ts";

type AgainProps = CallPlace & {
  /** The step that has made the model call. */
  readonly step: TreeStep;
  /** The names of the models to choose from. */
  readonly models: readonly string[];
};

/** Makes a model call again with another model or prompt, once it is opened. */
export function RunAgain(props: AgainProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      class="again"
      aria-label={inspectorStrings.runAgainWith}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{inspectorStrings.runAgainWith}</summary>
      {isOpen && <Opened {...props} />}
    </details>
  );
}

function Opened(props: AgainProps) {
  const { call, failure } = useModelCall(props);
  if (failure !== undefined) return <p class="muted">{toVisible(failure)}</p>;
  if (call === undefined) return <p class="muted">{inspectorStrings.loadingSent}</p>;
  if (call.isCut === true) return <p class="muted">{inspectorStrings.notWhole}</p>;
  return <Trial {...props} call={call} />;
}

/** The form, and the new answer beside the first one. */
function Trial({ client, runId, logKey, step, models, call }: AgainProps & { readonly call: InspectedModelCall }) {
  const [isBusy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<RepeatedModelCall>();
  const [failure, setFailure] = useState<string>();
  const send = async (wish: Wish): Promise<void> => {
    setBusy(true);
    setFailure(undefined);
    try {
      setAnswer(await client.callAgain(runId, logKey, wish));
    } catch (error) {
      setFailure((error as Error).message);
    }
    setBusy(false);
  };
  return (
    <>
      <WishForm
        models={models}
        prompt={call.system.map((each) => formatValue(each)).join("\n\n")}
        isBusy={isBusy}
        takesKeys={client.takesKeys}
        onSend={(wish) => void send(wish)}
      />
      {failure !== undefined && (
        <p class="failure" role="alert">
          {toVisible(failure)}
        </p>
      )}
      {answer !== undefined && <Beside first={step} second={answer} firstModel={call.modelId} />}
    </>
  );
}

/** The name of a model, and the system prompt for it. */
type Wish = { readonly model: string; readonly system: string };

type WishProps = {
  readonly models: readonly string[];
  /** The system prompt of the first call. */
  readonly prompt: string;
  readonly isBusy: boolean;
  /** True if a key of the user is sent with the call. */
  readonly takesKeys: boolean;
  readonly onSend: (wish: Wish) => void;
};

function WishForm({ models, prompt, isBusy, takesKeys, onSend }: WishProps) {
  const [model, setModel] = useState(models[0] ?? "");
  const [system, setSystem] = useState(prompt);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) onSend({ model, system });
      }}
    >
      <label>
        {inspectorStrings.model}
        <select value={model} onChange={(event) => setModel(event.currentTarget.value)}>
          {models.map((name) => (
            <option key={name} value={name}>
              {toVisible(name)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {inspectorStrings.systemPrompt}
        <textarea rows={3} value={system} onInput={(event) => setSystem(event.currentTarget.value)} />
      </label>
      <p class="muted">
        {inspectorStrings.callsNoTool} {takesKeys && inspectorStrings.ownKey}
      </p>
      <button type="submit" class="main" aria-disabled={isBusy}>
        {isBusy ? inspectorStrings.statuses.running : inspectorStrings.runAgain}
      </button>
    </form>
  );
}

type BesideProps = { readonly first: TreeStep; readonly second: RepeatedModelCall; readonly firstModel: string };

/** Two answers beside each other. Words that the other answer lacks are marked. */
function Beside({ first, second, firstModel }: BesideProps) {
  const again = second.calls.length > 0 ? [...(second.text === "" ? [] : [second.text]), ...second.calls] : second.text;
  const [one, other] = compareTexts(formatValue(first.output ?? ""), formatValue(again));
  return (
    <div class="beside" role="status">
      <Answer
        name={inspectorStrings.firstAnswer}
        facts={[firstModel, tokensOf(first.usage?.totalTokens), timeOf(first.durationMs)]}
        pieces={one}
      />
      <Answer
        name={inspectorStrings.newAnswer}
        facts={[second.model, tokensOf(second.usage.totalTokens), timeOf(second.durationMs)]}
        pieces={other}
      />
    </div>
  );
}

function tokensOf(count: number | undefined): string {
  return count === undefined ? "" : strings.common.tokenCount(formatCount(count));
}

function timeOf(ms: number | undefined): string {
  return ms === undefined ? "" : formatDuration(ms);
}

function Answer({ name, facts, pieces }: { name: string; facts: readonly string[]; pieces: readonly Piece[] }) {
  return (
    <section class="value" aria-label={name}>
      <header>
        <span class="value-name">
          <b>{name}</b> {toVisible(facts.filter((fact) => fact !== "").join(" · "))}
        </span>
      </header>
      <pre tabIndex={0} dir="auto">
        {pieces.map(({ text, isOwn }, index) => (isOwn ? <mark key={index}>{toVisible(text)}</mark> : toVisible(text)))}
      </pre>
    </section>
  );
}
