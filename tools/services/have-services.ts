import { MissingServer } from "./service.ts";
import type { RunningService, Service } from "./service.ts";

/** The environment, the required services, and whether programs may be installed. */
export type Wanted = {
  environment: Readonly<Record<string, string | undefined>>;
  required: readonly string[];
  mayInstall: boolean;
};

/** A service that is missing, and how to provide it next time. */
type Missing = { name: string; advice: string };

/**
 * Services for tests. `addresses` maps the tests' environment variables to addresses, which are empty for missing
 * services.
 */
export type Services = {
  addresses: Record<string, string>;
  missing: Missing[];
  stop: () => Promise<void>;
};

/** Provides every service: uses the given one, or starts one. Lists a missing service, or throws if it is required. */
export async function haveServices(services: readonly Service[], wanted: Wanted): Promise<Services> {
  checkNames(services, wanted.required);
  const running: RunningService[] = [];
  const stop = async (): Promise<void> => void (await Promise.all(running.map((service) => service.stop())));
  const had: Services = { addresses: {}, missing: [], stop };
  try {
    for (const service of services) {
      const found = await have(service, wanted);
      had.addresses[service.variable] = found instanceof MissingServer ? "" : found.url;
      if (found instanceof MissingServer) had.missing.push(missing(service, found, wanted.required));
      else running.push(found);
    }
    return had;
  } catch (error) {
    await stop();
    throw error;
  }
}

async function have({ variable, start }: Service, wanted: Wanted): Promise<RunningService | MissingServer> {
  const given = wanted.environment[variable] ?? "";
  if (given !== "") return { url: given, stop: async () => {} };
  try {
    return await start(wanted);
  } catch (error) {
    if (error instanceof MissingServer) return error;
    throw error;
  }
}

function missing({ name, variable }: Service, { message }: MissingServer, required: readonly string[]): Missing {
  const advice = `${message}, or name a running server in ${variable}`;
  if (required.includes(name)) throw new Error(`REQUIRED_SERVICES asks for ${name}, which is missing: ${advice}.`);
  return { name, advice };
}

function checkNames(services: readonly Service[], required: readonly string[]): void {
  const names = services.map(({ name }) => name);
  const unknown = required.find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new Error(`REQUIRED_SERVICES asks for ${unknown}, which does not exist. Expected some of ${names.join(", ")}.`);
}
