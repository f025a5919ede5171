import type { TroupeError } from "@troupe/core";

/** Waits for the promise so long, and then fails with the error made; what was begun goes on unheard. */
export async function within<Result>(ms: number, promise: Promise<Result>, late: () => TroupeError): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
