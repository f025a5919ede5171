import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import type { NewSchedule, RunnableInfo } from "@troupe-internal/client";
import { exampleOf } from "../api/workflow-input.ts";
import type { Settings } from "../settings.ts";
import { plainLine } from "../ui/unseen.ts";
import { emptyDraft, readDraft, units } from "./schedule-draft.ts";
import type { ScheduleDraft, TimesForm } from "./schedule-draft.ts";
import { strings } from "../strings/strings.ts";

const forms: readonly (readonly [form: TimesForm, name: string])[] = [
  ["daily", strings.schedules.daily],
  ["weekly", strings.schedules.weekly],
  ["every", strings.schedules.interval],
  ["once", strings.schedules.once],
  ["cron", strings.schedules.byCron],
];

type NewProps = {
  readonly runnables: readonly RunnableInfo[];
  readonly suggestions: Settings["suggestions"];
  /** Creates the schedule. Rejects with a sentence for the user. */
  readonly onCreate: (schedule: NewSchedule) => Promise<void>;
  readonly onClose: () => void;
};

/** The form that creates a schedule: the runnable, the question, and the times. */
export function NewScheduleForm({ runnables, suggestions, onCreate, onClose }: NewProps) {
  const [draft, setDraft] = useState(emptyDraft);
  const [chosen, setChosen] = useState(0);
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const { failure, setFailure, isSending, send } = useSending(onCreate);
  const runnable = runnables[chosen];
  const change = (changed: Partial<ScheduleDraft>): void => {
    setDraft({ ...draft, ...changed });
    setFailure(undefined);
  };
  const create = (): void => {
    if (runnable === undefined || isSending) return;
    const example = exampleOf(runnable, suggestions);
    const result = readDraft(draft, runnable, { timeZone, now: Date.now(), example });
    if ("problem" in result) setFailure(result.problem);
    else void send(result.read);
  };
  return (
    <form
      class="new-schedule"
      aria-label={strings.schedules.new}
      onSubmit={(event) => {
        event.preventDefault();
        create();
      }}
    >
      <RunnableField runnables={runnables} chosen={chosen} onChoose={setChosen} />
      <Field name={runnable?.kind === "workflow" ? strings.schedules.inputOrEmpty : strings.schedules.question}>
        <textarea rows={2} value={draft.text} onInput={(event) => change({ text: event.currentTarget.value })} />
      </Field>
      <TimeFields draft={draft} change={change} />
      {draft.form !== "every" && (
        <p class="muted">
          {strings.schedules.zone} {timeZone}.
        </p>
      )}
      <FormEnd {...{ failure, isSending, onClose }} />
    </form>
  );
}

type EndProps = { failure: string | undefined; isSending: boolean; onClose: () => void };

/** The buttons of the form, below what is wrong with it. */
function FormEnd({ failure, isSending, onClose }: EndProps) {
  return (
    <>
      {failure !== undefined && (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
      <div class="buttons">
        <button type="submit" class="main" disabled={isSending}>
          {strings.schedules.create}
        </button>
        <button type="button" onClick={onClose}>
          {strings.schedules.cancel}
        </button>
      </div>
    </>
  );
}

/** Sends a new schedule. A failure is kept for the user, who may try again. */
function useSending(onCreate: NewProps["onCreate"]) {
  const [failure, setFailure] = useState<string>();
  const [isSending, setSending] = useState(false);
  const send = async (schedule: NewSchedule): Promise<void> => {
    setSending(true);
    try {
      await onCreate(schedule);
    } catch (error) {
      setFailure((error as Error).message);
      setSending(false);
    }
  };
  return { failure, setFailure, isSending, send };
}

type ChoiceProps = { runnables: readonly RunnableInfo[]; chosen: number; onChoose: (index: number) => void };

/** The choice of an agent, a team or a workflow. It takes the focus when the form is opened. */
function RunnableField({ runnables, chosen, onChoose }: ChoiceProps) {
  const first = useRef<HTMLSelectElement>(null);
  useLayoutEffect(() => first.current?.focus(), []);
  return (
    <Field name={strings.common.runnable}>
      <select ref={first} value={chosen} onChange={(event) => onChoose(Number(event.currentTarget.value))}>
        {runnables.map(({ kind, name }, index) => (
          <option key={`${kind} ${name}`} value={index}>
            {plainLine(name)}
            {kind === "agent" ? "" : ` (${kind})`}
          </option>
        ))}
      </select>
    </Field>
  );
}

type FieldsProps = { draft: ScheduleDraft; change: (changed: Partial<ScheduleDraft>) => void };

/** The choice of the form of times, and the fields of the chosen form. */
function TimeFields({ draft, change }: FieldsProps) {
  return (
    <div class="times">
      <Field name={strings.schedules.when}>
        <select value={draft.form} onChange={(event) => change({ form: event.currentTarget.value as TimesForm })}>
          {forms.map(([form, name]) => (
            <option key={form} value={form}>
              {name}
            </option>
          ))}
        </select>
      </Field>
      <FieldsOfForm draft={draft} change={change} />
    </div>
  );
}

function FieldsOfForm({ draft, change }: FieldsProps) {
  switch (draft.form) {
    case "every":
      return <IntervalFields draft={draft} change={change} />;
    case "once":
      return (
        <Field name={strings.schedules.dateAndTime}>
          <input
            type="datetime-local"
            value={draft.at}
            onInput={(event) => change({ at: event.currentTarget.value })}
          />
        </Field>
      );
    case "cron":
      return (
        <Field name={strings.schedules.cron}>
          <input
            autocomplete="off"
            value={draft.cron}
            onInput={(event) => change({ cron: event.currentTarget.value })}
          />
        </Field>
      );
    default:
      return <DayFields draft={draft} change={change} />;
  }
}

function DayFields({ draft: { form, day: chosen, time }, change }: FieldsProps) {
  return (
    <>
      {form === "weekly" && (
        <Field name={strings.schedules.on}>
          <select value={chosen} onChange={(event) => change({ day: event.currentTarget.value })}>
            {strings.schedules.weekdays.map((day, index) => (
              <option key={day} value={index}>
                {day}
              </option>
            ))}
          </select>
        </Field>
      )}
      <Field name={strings.schedules.at}>
        <input type="time" value={time} onInput={(event) => change({ time: event.currentTarget.value })} />
      </Field>
    </>
  );
}

function IntervalFields({ draft, change }: FieldsProps) {
  return (
    <>
      <Field name={strings.schedules.every}>
        <input type="number" value={draft.count} onInput={(event) => change({ count: event.currentTarget.value })} />
      </Field>
      <Field name={strings.schedules.unit}>
        <select
          value={draft.unit}
          onChange={(event) => change({ unit: event.currentTarget.value as ScheduleDraft["unit"] })}
        >
          {Object.keys(units).map((unit) => (
            <option key={unit} value={unit}>
              {strings.schedules.units[unit as ScheduleDraft["unit"]]}
            </option>
          ))}
        </select>
      </Field>
    </>
  );
}

function Field({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <label class="field">
      <span>{name}</span>
      {children}
    </label>
  );
}
