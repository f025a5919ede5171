import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createLogger } from "../../base/log/logger.ts";
import { createService } from "../service/service.ts";
import type { Service } from "../service/service.ts";
import type { CloseOptions } from "../shutdown/shutdown.ts";
import { closeOnSignals } from "./close-on-signals.ts";

/** The services of a test. */
const made: Service[] = [];

beforeEach(() => void vi.useFakeTimers());

// What ends a process must be over before the process has its own exit and its own timers again.
afterEach(async () => {
  for (const service of made.splice(0)) await service.close({ graceMs: 0 });
  if (vi.isFakeTimers()) await vi.advanceTimersByTimeAsync(10_000);
  vi.useRealTimers();
});

/** A service that closes on signals, which the test sends, in a process whose exits are noted. */
function closing(options?: CloseOptions) {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
  const service = createService({ logger: createLogger({ level: "debug", color: false, write }) });
  made.push(service);
  const listeners = new Map<string | symbol, () => void>();
  const listened = vi.spyOn(process, "on").mockImplementation((name, listener) => {
    listeners.set(name, listener as () => void);
    return process;
  });
  const exit = vi.spyOn(process, "exit").mockImplementation(() => undefined as never);
  onTestFinished(() => {
    listened.mockRestore();
    exit.mockRestore();
  });
  const close = vi.spyOn(service, "close");
  closeOnSignals(service, options);
  const send = (signal: "SIGTERM" | "SIGINT") => listeners.get(signal)?.();
  return { service, listeners, exit, close, lines, send };
}

describe("closeOnSignals", () => {
  it("waits for SIGTERM and SIGINT alone, and does nothing until then", () => {
    const { listeners, close, exit } = closing();

    expect([...listeners.keys()]).toEqual(["SIGTERM", "SIGINT"]);
    expect([close.mock.calls, exit.mock.calls]).toEqual([[], []]);
  });

  it.each<["SIGTERM" | "SIGINT", CloseOptions | undefined, CloseOptions]>([
    ["SIGTERM", undefined, { graceMs: 25_000, drainMs: 5000 }],
    ["SIGINT", undefined, { graceMs: 25_000, drainMs: 5000 }],
    ["SIGTERM", { graceMs: 10, drainMs: 1 }, { graceMs: 10, drainMs: 1 }],
    ["SIGINT", { graceMs: 10 }, { graceMs: 10, drainMs: 10 }],
  ])("closes the service on %s with the options %j as %j", async (signal, options, times) => {
    const { service, close, send } = closing(options);
    send(signal);
    await service.closed;

    expect(close.mock.calls).toEqual([[times]]);
  });

  it("lets the process end by itself, and ends it with a warning 1.5 seconds after the service", async () => {
    const { service, exit, lines, send } = closing();
    const over = Promise.withResolvers<void>();
    service.servedRuns.afterRuns(async () => await over.promise);
    send("SIGTERM");
    await vi.advanceTimersByTimeAsync(10_000);
    expect(exit).not.toHaveBeenCalled();
    over.resolve();
    await service.closed;
    await vi.advanceTimersByTimeAsync(1499);
    expect([exit.mock.calls, lines]).toEqual([[], []]);
    await vi.advanceTimersByTimeAsync(1);

    expect(exit.mock.calls).toEqual([[]]);
    expect(lines).toMatchObject([
      { level: "warn", message: "The process is ended: something keeps it alive after the shutdown." },
    ]);
  });

  it("has no timer that keeps the process alive once the service is closed", async () => {
    vi.useRealTimers();
    const { service, send } = closing();
    const timers = vi.spyOn(globalThis, "setTimeout");
    send("SIGTERM");
    await service.closed;
    await new Promise(setImmediate);
    const lingering = timers.mock.calls.findIndex(([, ms]) => ms === 1500);
    const timer = timers.mock.results[lingering]?.value as NodeJS.Timeout | undefined;
    timers.mockRestore();
    clearTimeout(timer);

    expect(timer?.hasRef()).toBe(false);
  });

  it.each([
    ["SIGTERM", "SIGTERM"],
    ["SIGTERM", "SIGINT"],
    ["SIGINT", "SIGTERM"],
  ] as const)("ends the process at once with exit code 1 on %s and then %s", (first, second) => {
    const { exit, send } = closing({ graceMs: 60_000 });
    send(first);
    expect(exit).not.toHaveBeenCalled();
    send(second);

    expect(exit.mock.calls).toEqual([[1]]);
  });

  it("ends the process of a service that has been closed already", async () => {
    const { service, exit, send } = closing();
    await service.close();
    send("SIGTERM");
    await vi.advanceTimersByTimeAsync(1500);

    expect(exit.mock.calls).toEqual([[]]);
  });

  it.each<[object, string]>([
    [{ graceMs: 1, drainMs: 2 }, "drainMs must be at most graceMs, 1, got 2: the listener closes with the last run."],
    [{ grace: 1 }, 'Unknown option "grace" of closeOnSignals. Expected graceMs or drainMs. Did you mean graceMs?'],
  ])("refuses the options %j before it listens", (options, message) => {
    const listened = vi.spyOn(process, "on");
    onTestFinished(() => listened.mockRestore());

    expect(() => closeOnSignals(createService({}), options)).toThrow(
      expect.objectContaining({ code: "invalid_config", message }),
    );
    expect(listened).not.toHaveBeenCalled();
  });
});
