import type { ModelProvider, Runnable, RunStream, StorageDriver, StreamChunk, ToolDef, Write } from "@troupe/core";

/** The named moments of a run at which a process may be killed, in their order. */
export const killPoints = ["after_model", "after_tool", "before_commit", "after_commit", "before_finish"] as const;

/** One of `killPoints`. */
export type KillPoint = (typeof killPoints)[number];

/** Told that a moment has come; the run goes on when it resolves. */
export type ReachPoint = (point: KillPoint) => Promise<void>;

/** The parts of a service, wrapped so that they stop at the kill points. */
export type KillPointWrappers = {
  /** `after_model`: the model has answered and nobody knows yet. */
  model(model: ModelProvider): ModelProvider;
  /** `after_tool`: the tool has done its work, well or not, and its result is not taken yet. */
  tool(tool: ToolDef): ToolDef;
  /** `before_commit` and `after_commit`: around each write of a turn. */
  storage<Driver extends StorageDriver>(driver: Driver): Driver;
  /** `before_finish`: the run is over and its transport is about to say so. */
  runnable<Run extends Runnable>(runnable: Run): Run;
};

/**
 * Wraps what a service is made of so that each kill point is reached from outside. All five lie where a part that the test
 * hands in is called or returns, so nothing of them is in the published code: no hook, no variable, no second build.
 */
export function createKillPoints(reach: ReachPoint): KillPointWrappers {
  return {
    model: (model) => heldModel(model, reach),
    tool: (tool) => heldTool(tool, reach),
    storage: (driver) => heldStorage(driver, reach),
    runnable: (runnable) => heldRunnable(runnable, reach),
  };
}

function heldModel(model: ModelProvider, reach: ReachPoint): ModelProvider {
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

function heldTool(tool: ToolDef, reach: ReachPoint): ToolDef {
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

/** Has exactly the members its driver has. */
function heldStorage<Driver extends StorageDriver>(driver: Driver, reach: ReachPoint): Driver {
  return withMembers(driver, (name, call) => async (...args) => {
    if (!isCommit(name, args)) return await call(...args);
    await reach("before_commit");
    const result = await call(...args);
    await reach("after_commit");
    return result;
  });
}

function isCommit(name: string, [first]: readonly unknown[]): boolean {
  if (name === "transaction") return (first as readonly Write[]).some(({ namespace }) => namespace === "turns");
  return ["set", "append", "compareAndSet"].includes(name) && first === "turns";
}

function heldRunnable<Run extends Runnable>(runnable: Run, reach: ReachPoint): Run {
  return withMembers(runnable, (name, call) => {
    if (name === "stream") return (...args) => heldStream(call(...args) as RunStream, reach);
    if (name !== "run") return call;
    return async (...args) => {
      const output = await call(...args);
      await reach("before_finish");
      return output;
    };
  });
}

/** A stream and its `output` tell of one end, so they wait for one `before_finish`. */
function heldStream(stream: RunStream, reach: ReachPoint): RunStream {
  let reached: Promise<void> | undefined;
  const beforeFinish = async (): Promise<void> => await (reached ??= reach("before_finish"));
  return {
    runId: stream.runId,
    get output() {
      const output = stream.output.then(async (result) => {
        await beforeFinish();
        return result;
      });
      // As with the stream's own: who only iterates gets no unhandled rejection.
      output.catch(() => {});
      return output;
    },
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

/** The same object with its methods wrapped; a method that it has not, the wrapped one has not either. */
function withMembers<Target extends object>(target: Target, wrap: (name: string, call: Call) => Call): Target {
  return new Proxy(target, {
    get(_target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return wrap(String(name), (...args) => Reflect.apply(member, target, args) as unknown);
    },
  });
}
