import { useEffect, useState } from "preact/hooks";
import type { NewSchedule, RunnableInfo, ScheduleChange, ScheduleInfo } from "@troupe-internal/client";
import type { Services } from "../services.ts";
import type { Settings } from "../settings.ts";
import { formatShort } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { toVisible } from "../ui/unseen.ts";
import { describeTimes } from "./describe-times.ts";
import { NewScheduleForm } from "./new-schedule.tsx";
import { locale, strings } from "../strings/strings.ts";

/** Milliseconds between two requests for the schedules. */
const lookMs = 10_000;

/**
 * The properties of the view. `runnables` are the runnables that a schedule may run; undefined before they are loaded.
 */
export type SchedulesProps = { services: Services; runnables: readonly RunnableInfo[] | undefined };

/**
 * The view of the caller's schedules, with their last and next times, and a form for new schedules. It updates itself.
 */
export function SchedulesView({ services, runnables }: SchedulesProps) {
  const { schedules, failure, act } = useSchedules(services);
  const hasInspector = services.settings.inspectorStyle !== undefined;
  return (
    <main class="schedules">
      <NewSchedules runnables={runnables ?? []} suggestions={services.settings.suggestions} onCreate={act.create} />
      {failure !== undefined && (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
      {schedules === undefined && failure === undefined && <p class="muted">{strings.common.loading}</p>}
      {schedules?.length === 0 && <p class="muted">{strings.schedules.none}</p>}
      <ul>
        {schedules?.map((schedule) => (
          <ScheduleItem key={schedule.id} schedule={schedule} hasInspector={hasInspector} act={act} />
        ))}
      </ul>
    </main>
  );
}

type NewProps = {
  readonly runnables: readonly RunnableInfo[];
  readonly suggestions: Settings["suggestions"];
  readonly onCreate: (schedule: NewSchedule) => Promise<void>;
};

/** The heading of the view, and the form for a new schedule while it is open. */
function NewSchedules({ onCreate, ...given }: NewProps) {
  const [isAdding, setAdding] = useState(false);
  const create = async (schedule: NewSchedule): Promise<void> => {
    await onCreate(schedule);
    setAdding(false);
  };
  return (
    <>
      <header>
        <h1>{strings.common.schedules}</h1>
        {!isAdding && given.runnables.length > 0 && (
          <button type="button" class="main" onClick={() => setAdding(true)}>
            <Icon name="plus" size={16} /> {strings.schedules.new}
          </button>
        )}
      </header>
      {isAdding && <NewScheduleForm {...given} onCreate={create} onClose={() => setAdding(false)} />}
    </>
  );
}

function useSchedules({ api }: Services) {
  const [schedules, setSchedules] = useState<readonly ScheduleInfo[]>();
  const [failure, setFailure] = useState<string>();
  const load = async (): Promise<void> => setSchedules(await api.schedules());
  const act = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
      await load();
      setFailure(undefined);
    } catch (error) {
      setFailure((error as Error).message);
    }
  };
  useEffect(() => {
    const look = async (): Promise<void> => await act(async () => await Promise.resolve());
    void look();
    const timer = setInterval(() => {
      if (!document.hidden) void look();
    }, lookMs);
    return () => clearInterval(timer);
  }, []);
  const call = {
    create: async (schedule: NewSchedule) => {
      await api.createSchedule(schedule);
      await act(async () => await Promise.resolve());
    },
    change: async (id: string, change: ScheduleChange) => await act(async () => await api.changeSchedule(id, change)),
    remove: async (id: string) => await act(async () => await api.removeSchedule(id)),
  };
  return { schedules, failure, act: call };
}

type Calls = ReturnType<typeof useSchedules>["act"];

function ScheduleItem({ schedule, hasInspector, act }: { schedule: ScheduleInfo; hasInspector: boolean; act: Calls }) {
  const [isRemoving, setRemoving] = useState(false);
  const { id, name, status, input } = schedule;
  const title = toVisible(name);
  return (
    <li>
      <div>
        <strong>
          <bdi>{title}</bdi>
        </strong>{" "}
        <span class="muted">{strings.schedules.status[status]}</span>
        <p>{describeTimes(schedule)}</p>
        {input !== undefined && <p dir="auto">{toVisible(formatShort(input, 200))}</p>}
        <Times schedule={schedule} hasInspector={hasInspector} />
      </div>
      <div class="actions" role="group" aria-label={title}>
        {isRemoving ? (
          <>
            <button type="button" class="danger" onClick={() => void act.remove(id)}>
              {strings.common.remove}
            </button>
            <button type="button" onClick={() => setRemoving(false)}>
              {strings.common.keep}
            </button>
          </>
        ) : (
          <>
            {status !== "ended" && <PauseButton schedule={schedule} act={act} />}
            <button type="button" onClick={() => setRemoving(true)}>
              {strings.schedules.removeAsk}
            </button>
          </>
        )}
      </div>
    </li>
  );
}

/** The next time of a schedule, and the outcome of its last time. */
function Times({ schedule: { nextAt, history }, hasInspector }: { schedule: ScheduleInfo; hasInspector: boolean }) {
  const [last] = history;
  return (
    <p class="muted">
      {nextAt !== undefined && (
        <>
          {strings.schedules.next} {timeOf(nextAt)}.{" "}
        </>
      )}
      {last !== undefined && (
        <>
          {strings.schedules.last} {timeOf(last.until ?? last.at)},{" "}
          {hasInspector && last.runId !== undefined ? (
            <a href={`#/inspector/${encodeURIComponent(last.runId)}`}>{strings.schedules.outcome[last.status]}</a>
          ) : (
            strings.schedules.outcome[last.status]
          )}
          .
        </>
      )}
    </p>
  );
}

function PauseButton({ schedule: { id, status }, act }: { schedule: ScheduleInfo; act: Calls }) {
  const isPaused = status === "paused";
  return (
    <button type="button" onClick={() => void act.change(id, { status: isPaused ? "active" : "paused" })}>
      {isPaused ? strings.schedules.resume : strings.schedules.pause}
    </button>
  );
}

function timeOf(at: number) {
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()}>
      {date.toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" })}
    </time>
  );
}
