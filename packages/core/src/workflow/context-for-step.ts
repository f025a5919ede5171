import { apiKeysOf, createRunContext, endsAtOf, scratchOf, tenantOf } from "../run/run-context.ts";
import type { RunContext } from "../run/run-context.ts";
import { UsageMeter } from "../run/usage-meter.ts";
import type { StepContext } from "./workflow-step.ts";

/** What is different within one step. */
type StepScope = { name: string; signal: AbortSignal; text: string; meter: UsageMeter };

/** The context of one attempt at a step: keys and user are the run's, the account is a part of the run's. */
export function contextForStep(context: RunContext, { name, signal, text, meter }: StepScope): StepContext {
  const facts: StepContext = {
    ...context,
    signal,
    text,
    idempotencyKey: `${context.runId}/${name}`,
    logger: context.logger.child({ step: name }),
  };
  const secrets = {
    apiKeys: apiKeysOf(context),
    tenantId: tenantOf(context),
    scratch: scratchOf(context),
    endsAt: endsAtOf(context),
    meter: new UsageMeter({ parent: meter }),
  };
  return createRunContext(facts, secrets) as StepContext;
}
