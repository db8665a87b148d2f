import type { Page } from 'playwright-core'
import { authorizePath } from '../../test/helpers/authorize.ts'
import type { DemoServer } from '../../test/helpers/demo-server.ts'

export interface Shot {
  /** The file's name in docs/images. */
  name: string
  /** Who is signed in. */
  as?: 'merchant' | 'developer' | 'operator'
  /** A path, or the way to the page. */
  open: string | ((page: Page, demo: DemoServer) => Promise<unknown>)
  /** Also in dark. */
  dark?: true
  /** Also on a phone. */
  phone?: true
}

/** Every page that has a picture, in the order of docs/pages.md. */
export const shots: Shot[] = [
  { name: 'sign-in', open: '/login', phone: true, dark: true },
  {
    name: 'consent',
    as: 'merchant',
    open: (page, { loyalty }) => page.goto(authorizePath(loyalty)),
    phone: true,
    dark: true,
  },
  { name: 'connected-apps', as: 'merchant', open: '/account/apps', phone: true, dark: true },
  {
    name: 'revoke',
    as: 'merchant',
    open: async page => {
      await page.goto('/account/apps')
      await page.getByRole('button', { name: 'Revoke access' }).first().click()
    },
  },
  { name: 'my-apps', as: 'developer', open: '/developer/apps', phone: true },
  { name: 'create-app', as: 'developer', open: '/developer/apps/new' },
  {
    name: 'app',
    as: 'developer',
    open: (page, { dashboard }) => page.goto(`/developer/apps/${dashboard.client_id}`),
    phone: true,
    dark: true,
  },
]
