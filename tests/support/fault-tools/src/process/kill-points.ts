import type { ExecutableTool, ModelProvider, Runnable, RunStream, StorageDriver, StreamChunk } from "@troupe/core";
import type { Write } from "@troupe/core/storage";

/** Names of the moments of a run at which a process can be killed, in order. */
export const killPoints = ["after_model", "after_tool", "before_commit", "after_commit", "before_finish"] as const;

/** The name of a kill point. */
export type KillPoint = (typeof killPoints)[number];

/** Called when a run reaches a kill point. The run continues when the promise resolves. */
export type ReachPoint = (point: KillPoint) => Promise<void>;

/** Functions that wrap the parts of a service so that a run waits at the kill points. */
export type KillPointWrappers = {
  /** `after_model`: the model has answered, but the answer is not passed on yet. */
  model(model: ModelProvider): ModelProvider;
  /** `after_tool`: the tool has returned or thrown, but its result is not passed on yet. */
  tool(tool: ExecutableTool): ExecutableTool;
  /** `before_commit` and `after_commit`: before and after each write of a turn. */
  storage<Driver extends StorageDriver>(driver: Driver): Driver;
  /** `before_finish`: the run is over, but its caller has not received the output yet. */
  runnable<Run extends Runnable>(runnable: Run): Run;
};

/**
 * Creates the wrappers that call `reach` at each kill point. All five points are at calls or returns of parts that the
 * test passes in, so published code needs no hooks.
 */
export function createKillPoints(reach: ReachPoint): KillPointWrappers {
  return {
    model: (model) => wrapModel(model, reach),
    tool: (tool) => wrapTool(tool, reach),
    storage: (driver) => wrapStorage(driver, reach),
    runnable: (runnable) => wrapRunnable(runnable, reach),
  };
}

function wrapModel(model: ModelProvider, reach: ReachPoint): ModelProvider {
  const { providerId, modelId } = model;
  return {
    providerId,
    modelId,
    async generate(messages, options) {
      const response = await model.generate(messages, options);
      await reach("after_model");
      return response;
    },
    stream: (messages, options) => beforeLast(model.stream(messages, options), () => reach("after_model")),
  };
}

function wrapTool(tool: ExecutableTool, reach: ReachPoint): ExecutableTool {
  return {
    ...tool,
    async execute(args, context) {
      try {
        return await tool.execute(args, context);
      } finally {
        await reach("after_tool");
      }
    },
  };
}

/** Wraps the members that the driver has, and adds none. */
function wrapStorage<Driver extends StorageDriver>(driver: Driver, reach: ReachPoint): Driver {
  return withMembers(driver, (name, call) => {
    if (name === "watch") return call;
    return async (...args) => {
      if (!isCommit(name, args)) return await call(...args);
      await reach("before_commit");
      const result = await call(...args);
      await reach("after_commit");
      return result;
    };
  });
}

function isCommit(name: string, [first]: readonly unknown[]): boolean {
  if (name === "transaction") return (first as readonly Write[]).some(({ namespace }) => namespace === "turns");
  return ["set", "append", "compareAndSet"].includes(name) && first === "turns";
}

function wrapRunnable<Run extends Runnable>(runnable: Run, reach: ReachPoint): Run {
  return withMembers(runnable, (name, call) => {
    if (name === "stream") return (...args) => wrapStream(call(...args) as RunStream, reach);
    if (name !== "run") return call;
    return async (...args) => {
      const output = await call(...args);
      await reach("before_finish");
      return output;
    };
  });
}

/** Wraps a stream so that its chunks and its `output` wait for the same `before_finish`. */
function wrapStream(stream: RunStream, reach: ReachPoint): RunStream {
  let reached: Promise<void> | undefined;
  const beforeFinish = async (): Promise<void> => await (reached ??= reach("before_finish"));
  return {
    runId: stream.runId,
    get output() {
      const output = stream.output.then(async (result) => {
        await beforeFinish();
        return result;
      });
      // Prevents an unhandled rejection, as the wrapped stream does: a caller may only iterate.
      output.catch(() => {});
      return output;
    },
    textStream: stream.textStream,
    objectStream: stream.objectStream,
    cancel: (reason) => stream.cancel(reason),
    [Symbol.asyncIterator]: () => beforeLast(stream, beforeFinish),
  };
}

async function* beforeLast(
  chunks: AsyncIterable<StreamChunk>,
  reach: () => Promise<void>,
): AsyncGenerator<StreamChunk, void> {
  for await (const chunk of chunks) {
    if (chunk.type === "finish") await reach();
    yield chunk;
  }
}

type Call = (...args: unknown[]) => unknown;

/** Returns the object with its methods wrapped. Missing methods stay missing. */
function withMembers<Target extends object>(target: Target, wrap: (name: string, call: Call) => Call): Target {
  return new Proxy(target, {
    get(_target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return wrap(String(name), (...args) => Reflect.apply(member, target, args) as unknown);
    },
  });
}

/** The parent's message that lets a child continue after `{ killPoint }`. */
export const goOn = { goOn: true };

/**
 * Returns the `ReachPoint` of a child process: it reports each kill point to the parent, and waits for the answer or
 * the kill.
 */
export function reportToParent(): ReachPoint {
  const waiting: (() => void)[] = [];
  process.on("message", (message: unknown) => {
    if (typeof message === "object" && message !== null && "goOn" in message) waiting.shift()?.();
  });
  return async (killPoint) => {
    process.send?.({ killPoint });
    await new Promise<void>((resolve) => waiting.push(resolve));
  };
}
