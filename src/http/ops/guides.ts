/** The guides for integrators, in the order in which they are read. */

export const guidesPath = '/docs/guides'

export interface Guide {
  /** The last part of its address. */
  name: string
  /** The file, from the root of the repository. */
  file: string
  title: string
  about: string
}

export const guides: readonly Guide[] = [
  {
    name: 'getting-started',
    file: 'docs/getting-started.md',
    title: 'Getting started in 10 minutes',
    about: 'Register an app, let a merchant allow it, read the first orders, receive webhooks.',
  },
  {
    name: 'sync',
    file: 'docs/sync.md',
    title: 'Keeping a complete copy',
    about: 'The loop that misses no order, and the proof that it did not.',
  },
  {
    name: 'webhooks',
    file: 'docs/webhooks.md',
    title: 'Webhooks',
    about: 'Know within a second that a store has changed.',
  },
  {
    name: 'errors-and-retries',
    file: 'docs/errors-and-retries.md',
    title: 'Errors and retries',
    about: 'Which requests to repeat, when, and what to do with the others.',
  },
  {
    name: 'errors',
    file: 'docs/errors.md',
    title: 'Error codes',
    about: 'Every code that the API answers with.',
  },
  {
    name: 'client',
    file: 'client/README.md',
    title: 'tillgate-client',
    about: 'The library and the commands for Node, Deno, Bun and browsers.',
  },
  {
    name: 'sandbox',
    file: 'docs/sandbox.md',
    title: 'Sandbox',
    about: 'Requests that fail on demand, and tills that keep selling, to test an integration.',
  },
  {
    name: 'going-live',
    file: 'docs/going-live.md',
    title: 'Before you go live',
    about: 'A checklist.',
  },
]

export const guideAddress = ({ name }: Guide): string => `${guidesPath}/${name}`
