import { useEffect, useMemo, useState } from "preact/hooks";
import type { InspectedRun } from "../../src/inspector/inspected-run.ts";
import type { Settings } from "../settings.ts";
import { locale, strings } from "../strings/strings.ts";
import { Face } from "../ui/face.tsx";
import { dayOf, formatCount, formatDuration } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { toVisible } from "../ui/unseen.ts";
import { InspectorClient } from "./inspector-client.ts";
import { summarize } from "./overview.ts";
import type { OverviewDay, OverviewRow } from "./overview.ts";

/** The maximum number of pages of 100 runs that the overview reads. */
const mostPages = 10;
const dayMs = 86_400_000;

/** The periods to choose from, in days. */
const periods = [2, 7, 30] as const;

type Read = { readonly runs: readonly InspectedRun[]; readonly isWhole: boolean };

/** The view of all runs together: their number, errors, times and tokens, by agent and day. */
export function OverviewView({ settings }: { settings: Settings }) {
  const [days, setDays] = useState<number>(periods[0]);
  const { read, failure } = useRead(settings, days);
  const summary = useMemo(() => summarize(read?.runs ?? []), [read]);
  const { overview } = strings;
  return (
    <main class="overview-page">
      <header>
        <h1>{overview.title}</h1>
        <select
          aria-label={overview.period}
          value={String(days)}
          onChange={(event) => setDays(Number(event.currentTarget.value))}
        >
          {periods.map((count) => (
            <option key={count} value={String(count)}>
              {overview.lastDays(count)}
            </option>
          ))}
        </select>
      </header>
      {failure !== undefined && (
        <p class="failure" role="alert">
          <Icon name="warning" size={18} />
          {failure}
        </p>
      )}
      {read === undefined && failure === undefined && <p class="muted">{strings.common.loading}</p>}
      {read?.runs.length === 0 && <p class="muted">{overview.none}</p>}
      {read?.isWhole === false && <p class="muted">{overview.newest(formatCount(read.runs.length))}</p>}
      {summary.map((day) => (
        <Day key={day.day} {...day} />
      ))}
    </main>
  );
}

/** Reads the runs of the last days, at most a bounded number of pages. */
function useRead({ base }: Settings, days: number) {
  const [read, setRead] = useState<Read>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    const leaving = new AbortController();
    setRead(undefined);
    setFailure(undefined);
    const since = new Date(Date.now() - (days - 1) * dayMs).setHours(0, 0, 0, 0);
    readRuns(new InspectorClient(base), since, leaving.signal).then(
      (runs) => leaving.signal.aborted || setRead(runs),
      (error: Error) => leaving.signal.aborted || setFailure(error.message),
    );
    return () => leaving.abort();
  }, [base, days]);
  return { read, failure };
}

async function readRuns(client: InspectorClient, since: number, signal: AbortSignal): Promise<Read> {
  const runs: InspectedRun[] = [];
  let after: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const { runs: found, next } = await client.list({ status: "", since: String(since), limit: "100", after }, signal);
    runs.push(...found);
    after = next;
    if (next === undefined) return { runs, isWhole: true };
  }
  return { runs, isWhole: false };
}

function Day({ day, rows }: OverviewDay) {
  const { overview } = strings;
  const heading = dayOf(day, Date.now());
  const name = new Date(day).toLocaleDateString(locale, { dateStyle: "long" });
  return (
    <div>
      <h2 title={name}>{heading === strings.times.thisWeek ? name : heading}</h2>
      <div class="overview-table" tabIndex={0} role="region" aria-label={name}>
        <table>
          <thead>
            <tr>
              <th scope="col">{strings.common.runnable}</th>
              <th scope="col">{overview.runs}</th>
              <th scope="col">{overview.errors}</th>
              <th scope="col">{overview.half}</th>
              <th scope="col">{overview.most}</th>
              <th scope="col">{strings.common.tokens}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={`${row.kind} ${row.name}`} {...row} />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function Row({ kind, name, runs, errors, p50, p95, tokens }: OverviewRow) {
  return (
    <tr>
      <th scope="row">
        <span>
          <Face kind={kind} name={name} />
          <bdi>{toVisible(name)}</bdi>
        </span>
      </th>
      <td>{formatCount(runs)}</td>
      <td data-some={errors > 0}>{formatCount(errors)}</td>
      <td>{p50 === undefined ? "" : formatDuration(p50)}</td>
      <td>{p95 === undefined ? "" : formatDuration(p95)}</td>
      <td>{formatCount(tokens)}</td>
    </tr>
  );
}
