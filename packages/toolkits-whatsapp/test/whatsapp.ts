import { join } from "node:path";
import { contextWith, FakeService, recordings, toolOf } from "@troupe-internal/toolkit-fakes";
import { onTestFinished } from "vitest";
import { WhatsAppToolkit } from "../src/index.ts";
import type { WhatsAppOptions } from "../src/index.ts";

/** Reads a recorded answer of the WhatsApp Cloud API by its name. */
export const recorded = recordings(join(import.meta.dirname, "__fixtures__"));

/** Starts a fake of the API that stops with the test, and returns it with a function that calls a tool. */
export async function startWhatsApp(options: WhatsAppOptions = {}) {
  const service = (await FakeService.start()).answer(() => recorded("accepted"));
  onTestFinished(() => service.close());
  const toolkit = new WhatsAppToolkit({
    accessToken: "EAAG-token",
    phoneNumberId: "106540352242922",
    baseURL: service.url,
    ...options,
  });
  const call = async (tool: string, args: Record<string, unknown>) =>
    await (await toolOf(toolkit, tool)).execute(args, contextWith());
  return { service, toolkit, call };
}
