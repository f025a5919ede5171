import type { InspectedRun } from "../../src/inspector/inspected-run.ts";
import { Icon } from "../ui/icon.tsx";
import { statusName } from "./status-mark.tsx";
import { toVisible } from "../ui/unseen.ts";
import { strings } from "../strings/strings.ts";

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
  [strings.inspector.lastHour, 3_600_000],
  [strings.inspector.lastDay, 86_400_000],
  [strings.inspector.lastWeek, 604_800_000],
] as const;

/** The filter that a user has chosen for the list of runs. An empty text stands for any. */
export type ChosenFilter = {
  readonly status: string;
  readonly name: string;
  readonly text: string;
  /** The length of the period before now, in milliseconds. */
  readonly period: string;
};

export const anyRun: ChosenFilter = { status: "", name: "", text: "", period: "" };

type FilterProps = {
  readonly filter: ChosenFilter;
  /** The names of agents, teams and workflows to choose from. */
  readonly names: readonly string[];
  readonly onChange: (filter: ChosenFilter) => void;
};

/** The controls that narrow the list of runs. A text is searched when it is confirmed. */
export function RunFilters({ filter, names, onChange }: FilterProps) {
  const change = (field: keyof ChosenFilter) => (value: string) => onChange({ ...filter, [field]: value });
  return (
    <div class="run-filters" role="search">
      <div class="search">
        <Icon name="search" size={16} />
        <input
          type="search"
          aria-label={strings.inspector.find}
          placeholder={strings.inspector.findQuestions}
          value={filter.text}
          onChange={(event) => change("text")(event.currentTarget.value.trim())}
        />
      </div>
      <div class="run-selects">
        <Choice
          name={strings.inspector.status}
          any={strings.inspector.anyStatus}
          value={filter.status}
          onChoose={change("status")}
        >
          {statuses.map((status) => [status, statusName(status)])}
        </Choice>
        <Choice
          name={strings.common.runnable}
          any={strings.inspector.anyone}
          value={filter.name}
          onChoose={change("name")}
        >
          {names.map((name) => [name, toVisible(name)])}
        </Choice>
        <Choice
          name={strings.inspector.time}
          any={strings.inspector.anyTime}
          value={filter.period}
          onChoose={change("period")}
        >
          {periods.map(([words, ms]) => [String(ms), words])}
        </Choice>
      </div>
    </div>
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
