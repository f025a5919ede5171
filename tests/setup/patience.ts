import { vi } from "vitest";

const { waitFor, waitUntil } = vi;
const patience = { timeout: 30_000 };

// A machine may be slow: by default, waiting fails only after what cannot be slowness any more.
vi.waitFor = async (callback, options = patience) => await waitFor(callback, options);
vi.waitUntil = async (callback, options = patience) => await waitUntil(callback, options);
