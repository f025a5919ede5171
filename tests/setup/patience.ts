import { vi } from "vitest";

const { waitFor, waitUntil } = vi;
const patience = { timeout: 30_000 };

// A machine may be slow: by default, waiting fails only after what cannot be slowness any more. Set once for each worker,
// whose files share `vi`.
if (!("isPatient" in vi)) {
  Object.assign(vi, {
    isPatient: true,
    waitFor: async (callback: () => unknown, options: object = patience) => await waitFor(callback, options),
    waitUntil: async (callback: () => unknown, options: object = patience) => await waitUntil(callback, options),
  });
}
