import type { TokenUsage } from "@troupe/core";
import { toPublicOutput } from "@troupe/core/adapter";
import type { Response } from "express";
import type { Exchange, RunnableCall, WorkflowCall } from "../exchange.ts";
import { noteUsage } from "../request-record.ts";
import { sendJson } from "../send-json.ts";
import { ClientRun } from "./client-run.ts";
import { toPublicResult } from "./to-public-chunk.ts";

/** Runs an agent or a team and sends its answer as a whole. Rejects with what is to be sent instead. */
export async function answerRun(exchange: Exchange, call: RunnableCall): Promise<void> {
  const run = new ClientRun(exchange, call);
  const { subject, input, opts } = call;
  const output = await finish(run, () => subject.run(input, { ...opts, signal: run.signal }));
  send(exchange.response, toPublicOutput(output));
}

/** Runs a workflow and sends its result. Rejects with what is to be sent instead. */
export async function answerWorkflow(exchange: Exchange, call: WorkflowCall): Promise<void> {
  const run = new ClientRun(exchange, call);
  const { subject, input, opts } = call;
  const runOpts = { ...opts, signal: run.signal, ...(input !== undefined && { input }) };
  const result = await finish(run, () => subject.run(runOpts));
  send(exchange.response, toPublicResult(result));
}

/** Does the work of a run; whatever becomes of it, the run is over then. */
async function finish<Output>(run: ClientRun, work: () => Promise<Output>): Promise<Output> {
  try {
    return await work();
  } catch (thrown) {
    throw run.fail(thrown);
  } finally {
    run.end();
  }
}

/** The answer of a run that went on without its client goes nowhere. */
function send(response: Response, answer: { usage: TokenUsage }): void {
  noteUsage(response, answer.usage);
  if (!response.destroyed) sendJson(response, 200, answer);
}
