import type { InspectedRun } from "../../src/inspector/inspected-run.ts";
import { formatCount, formatDuration } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { statusName } from "./status-mark.tsx";
import { toVisible } from "../ui/unseen.ts";
import { strings } from "../strings/strings.ts";
import { inspectorStrings } from "../strings/inspector-strings.ts";

const statuses = [
  "queued",
  "running",
  "waiting",
  "completed",
  "error",
  "cancelled",
] as const satisfies InspectedRun["status"][];

/** The periods to choose from, in milliseconds. */
const periods = [
  [inspectorStrings.lastHour, 3_600_000],
  [inspectorStrings.lastDay, 86_400_000],
  [inspectorStrings.lastWeek, 604_800_000],
] as const;

/** The numbers of tokens and of milliseconds to choose from, which a run took at least. */
const sizes = [1000, 10_000, 100_000] as const;
const lengths = [1000, 10_000, 60_000] as const;

/** The filter that a user has chosen for the list of runs. An empty text stands for any. */
export type ChosenFilter = {
  readonly status: string;
  readonly name: string;
  readonly text: string;
  /** The length of the period before now, in milliseconds. */
  readonly period: string;
  /** The least number of tokens. */
  readonly minTokens: string;
  /** The least number of milliseconds that the run took. */
  readonly minMs: string;
  readonly tag: string;
  readonly user: string;
};

/** The filter that lets every run pass. */
export const anyRun: ChosenFilter = {
  status: "",
  name: "",
  text: "",
  period: "",
  minTokens: "",
  minMs: "",
  tag: "",
  user: "",
};

type FilterProps = {
  readonly filter: ChosenFilter;
  /** The names of agents, teams and workflows to choose from. */
  readonly names: readonly string[];
  /** True if the list has the runs of all users. */
  readonly seesAll: boolean;
  readonly onChange: (filter: ChosenFilter) => void;
};

/** The controls that narrow the list of runs. A text is searched when it is confirmed. */
export function RunFilters({ filter, names, seesAll, onChange }: FilterProps) {
  const change = (field: keyof ChosenFilter) => (value: string) => onChange({ ...filter, [field]: value });
  return (
    <div class="run-filters" role="search">
      <div class="search">
        <Icon name="search" size={16} />
        <Typed
          name={inspectorStrings.find}
          hint={inspectorStrings.findQuestions}
          value={filter.text}
          onType={change("text")}
        />
      </div>
      <div class="run-selects">
        <Choice
          name={inspectorStrings.status}
          any={inspectorStrings.anyStatus}
          value={filter.status}
          onChoose={change("status")}
        >
          {statuses.map((status) => [status, statusName(status)])}
        </Choice>
        <Choice
          name={strings.common.runnable}
          any={inspectorStrings.anyone}
          value={filter.name}
          onChoose={change("name")}
        >
          {names.map((name) => [name, toVisible(name)])}
        </Choice>
        <Choice
          name={inspectorStrings.time}
          any={inspectorStrings.anyTime}
          value={filter.period}
          onChoose={change("period")}
        >
          {periods.map(([words, ms]) => [String(ms), words])}
        </Choice>
        <LeastChoices filter={filter} change={change} />
        {seesAll && (
          <>
            <Typed name={inspectorStrings.tag} value={filter.tag} onType={change("tag")} />
            <Typed name={inspectorStrings.user} value={filter.user} onType={change("user")} />
          </>
        )}
      </div>
    </div>
  );
}

type LeastProps = {
  readonly filter: ChosenFilter;
  readonly change: (field: keyof ChosenFilter) => (value: string) => void;
};

/** The choices of the least tokens and of the least time of a run. */
function LeastChoices({ filter, change }: LeastProps) {
  return (
    <>
      <Choice
        name={strings.common.tokens}
        any={inspectorStrings.anyTokens}
        value={filter.minTokens}
        onChoose={change("minTokens")}
      >
        {sizes.map((count) => [String(count), inspectorStrings.atLeastTokens(formatCount(count))])}
      </Choice>
      <Choice
        name={inspectorStrings.took}
        any={inspectorStrings.anyLength}
        value={filter.minMs}
        onChoose={change("minMs")}
      >
        {lengths.map((ms) => [String(ms), inspectorStrings.atLeast(formatDuration(ms))])}
      </Choice>
    </>
  );
}

type TypedProps = {
  readonly name: string;
  /** The text in place of a value. @default the name */
  readonly hint?: string;
  readonly value: string;
  readonly onType: (value: string) => void;
};

/** A field of the filter whose text is used when it is confirmed, and kept while the list updates itself. */
function Typed({ name, hint = name, value, onType }: TypedProps) {
  return (
    <input
      type="search"
      aria-label={name}
      placeholder={hint}
      autocomplete="off"
      defaultValue={value}
      onChange={(event) => onType(event.currentTarget.value.trim())}
    />
  );
}

type ChoiceProps = {
  readonly name: string;
  /** The text of the choice that filters nothing. */
  readonly any: string;
  readonly value: string;
  readonly children: readonly (readonly [value: string, words: string])[];
  readonly onChoose: (value: string) => void;
};

function Choice({ name, any, value, children, onChoose }: ChoiceProps) {
  return (
    <select aria-label={name} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
      <option value="">{any}</option>
      {children.map(([key, words]) => (
        <option key={key} value={key}>
          {words}
        </option>
      ))}
    </select>
  );
}
