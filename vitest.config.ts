import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  resolve: {
    alias: [
      { find: 'wfkit/testing', replacement: source('./src/testing/index.ts') },
      { find: /^wfkit$/, replacement: source('./src/index.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    // What tests write and then import is for Node.js to read.
    server: { deps: { external: [/[\\/]wf-test-[^\\/]+[\\/].*\.m?js$/] } },
    setupFiles: ['.ci/cover-children.ts'],
    // Files wait for processes of their own much of the time.
    maxWorkers: '100%',
    // Only for what hangs: a machine that checks may be busy with much else.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: ['text-summary', 'json'],
      reportOnFailure: true,
    },
  },
})
