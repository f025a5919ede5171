import { useEffect, useState } from "preact/hooks";
import type { ScheduleChange, ScheduleInfo } from "@troupe-internal/client";
import type { Services } from "../services.ts";
import { toVisible } from "../ui/unseen.ts";
import { describeTimes } from "./describe-times.ts";

/** Milliseconds between two requests for the schedules. */
const lookMs = 10_000;

/** The view of the caller's schedules, with their last and next times. The list updates itself. */
export function SchedulesView({ services }: { services: Services }) {
  const { schedules, failure, act } = useSchedules(services);
  const hasInspector = services.settings.inspectorStyle !== undefined;
  return (
    <main class="schedules">
      <h1>Schedules</h1>
      {failure !== undefined && (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
      {schedules === undefined && failure === undefined && <p class="muted">Loading…</p>}
      {schedules?.length === 0 && <p class="muted">You have no schedules.</p>}
      <ul>
        {schedules?.map((schedule) => (
          <ScheduleItem key={schedule.id} schedule={schedule} hasInspector={hasInspector} act={act} />
        ))}
      </ul>
    </main>
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
    change: async (id: string, change: ScheduleChange) => await act(async () => await api.changeSchedule(id, change)),
    remove: async (id: string) => await act(async () => await api.removeSchedule(id)),
  };
  return { schedules, failure, act: call };
}

type Calls = ReturnType<typeof useSchedules>["act"];

function ScheduleItem({ schedule, hasInspector, act }: { schedule: ScheduleInfo; hasInspector: boolean; act: Calls }) {
  const [isRemoving, setRemoving] = useState(false);
  const { id, name, status, nextAt, history } = schedule;
  const [last] = history;
  const title = toVisible(name);
  return (
    <li>
      <div>
        <strong>
          <bdi>{title}</bdi>
        </strong>{" "}
        <span class="muted">{status}</span>
        <p>{describeTimes(schedule)}</p>
        <p class="muted">
          {nextAt !== undefined && <>Next: {timeOf(nextAt)}. </>}
          {last !== undefined && (
            <>
              Last: {timeOf(last.until ?? last.at)},{" "}
              {hasInspector && last.runId !== undefined ? (
                <a href={`#/inspector/${encodeURIComponent(last.runId)}`}>{last.status}</a>
              ) : (
                last.status
              )}
              .
            </>
          )}
        </p>
      </div>
      <div class="actions" role="group" aria-label={title}>
        {isRemoving ? (
          <>
            <button type="button" class="danger" onClick={() => void act.remove(id)}>
              Remove
            </button>
            <button type="button" onClick={() => setRemoving(false)}>
              Keep
            </button>
          </>
        ) : (
          <>
            {status !== "ended" && <PauseButton schedule={schedule} act={act} />}
            <button type="button" onClick={() => setRemoving(true)}>
              Remove…
            </button>
          </>
        )}
      </div>
    </li>
  );
}

function PauseButton({ schedule: { id, status }, act }: { schedule: ScheduleInfo; act: Calls }) {
  const isPaused = status === "paused";
  return (
    <button type="button" onClick={() => void act.change(id, { status: isPaused ? "active" : "paused" })}>
      {isPaused ? "Resume" : "Pause"}
    </button>
  );
}

function timeOf(at: number) {
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()}>{date.toLocaleString([], { dateStyle: "medium", timeStyle: "short" })}</time>
  );
}
