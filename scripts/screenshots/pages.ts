import type { Page } from 'playwright-core'
import { demoLogo } from '../../src/demo/logos.ts'
import { createPasswordLinks } from '../../src/domain/accounts/password-links.ts'
import { createBrand } from '../../src/domain/brand/brand.ts'
import { createLogos } from '../../src/domain/brand/logos.ts'
import { createAddressRules } from '../../src/domain/webhooks/address.ts'
import { createWebhookEndpoints } from '../../src/domain/webhooks/endpoints.ts'
import { platformOwner } from '../../src/storage/port/index.ts'
import { password } from '../../test/helpers/answers.ts'
import { byTest } from '../../test/helpers/by.ts'
import { authorizePath } from '../../test/helpers/authorize.ts'
import type { DemoServer } from '../../test/helpers/demo-server.ts'
import { openLedger } from './ledger.ts'

export interface Shot {
  /** The file's name in docs/images. */
  name: string
  /** Who is signed in. */
  as?: 'merchant' | 'developer' | 'operator'
  /** A path, or the way to the page. */
  open: string | ((page: Page, demo: DemoServer) => Promise<unknown>)
  /** Only what a screen shows: the rest of a long page says nothing more. */
  screen?: true
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
  {
    name: 'consent-again',
    as: 'merchant',
    open: async (page, { dashboard }) => {
      await page.goto(authorizePath(dashboard))
      await page.getByRole('checkbox').first().uncheck()
      await page.getByRole('checkbox').last().check()
    },
  },
  { name: 'code', open: openCode },
  { name: 'set-password', open: openPasswordLink },
  { name: 'profile', as: 'merchant', open: '/profile' },
  { name: 'connected-apps', as: 'merchant', open: '/account/apps', phone: true, dark: true },
  {
    name: 'connected-app',
    as: 'merchant',
    open: (page, { dashboard }) => page.goto(`/account/apps/${dashboard.client_id}`),
    phone: true,
    dark: true,
  },
  {
    name: 'change-stores',
    as: 'merchant',
    open: (page, { dashboard }) => page.goto(`/account/apps/${dashboard.client_id}/stores`),
  },
  {
    name: 'revoke',
    as: 'merchant',
    open: (page, { dashboard }) => page.goto(`/account/apps/${dashboard.client_id}/revoke`),
  },
  { name: 'orders', as: 'merchant', open: '/account/stores/1001/orders?day=2026-10-31', phone: true },
  {
    name: 'order',
    as: 'merchant',
    open: async page => {
      await page.goto('/account/stores/1001/orders?day=2026-10-31')
      await page.getByRole('rowheader').first().getByRole('link').click()
      await page.getByText('As the API sends it').click()
    },
    phone: true,
  },
  { name: 'sales', as: 'merchant', open: '/account/stores/1001/sales', screen: true, dark: true },
  { name: 'activity', as: 'merchant', open: '/account/activity', phone: true },
  { name: 'account-activity', as: 'merchant', open: '/account/activity/account' },
  { name: 'sign-up', open: '/signup', phone: true },
  { name: 'my-apps', as: 'developer', open: '/developer/apps', phone: true },
  { name: 'create-app', as: 'developer', open: '/developer/apps/new' },
  {
    name: 'secret',
    as: 'developer',
    // Of an app that no other picture shows; and the same letters every time.
    open: async (page, { loyalty }) => {
      await page.goto(`/developer/apps/${loyalty.client_id}/rotate`)
      await page.getByRole('button', { name: 'Rotate the secret' }).click()
      const made_up = 'a-secret-made-up-for-this-picture-and-no-other'
      await page.locator('#client-secret').evaluate((shown, text) => {
        shown.textContent = text
      }, made_up)
    },
  },
  {
    name: 'app',
    as: 'developer',
    open: (page, { dashboard }) => page.goto(`/developer/apps/${dashboard.client_id}`),
    phone: true,
    dark: true,
  },
  {
    name: 'logo',
    as: 'developer',
    open: (page, { dashboard }) => page.goto(`/developer/apps/${dashboard.client_id}/logo`),
  },
  {
    name: 'connect',
    as: 'developer',
    // The same state and PKCE values every time.
    open: async (page, { dashboard }) => {
      await page.goto(`/developer/apps/${dashboard.client_id}/connect`)
      await page.locator('#link, #state, #exchange').evaluateAll(shown => {
        for (const each of shown) {
          const text = each.textContent ?? ''
          const fixed = text.replace(
            /(state|code_challenge|code_verifier)=[\w-]+/g,
            '$1=made-up-for-this-picture',
          )
          each.textContent = each.id === 'state' ? 'made-up-for-this-picture' : fixed
        }
      })
    },
  },
  {
    name: 'app-requests',
    as: 'developer',
    open: async (page, { server, dashboard }) => {
      await page.goto(`/developer/apps/${dashboard.client_id}/requests?errors=yes`)
      // What the sweep of a server that runs would have deleted.
      await server.storage.purge(server.clock.now())
      await page.reload()
    },
    phone: true,
  },
  {
    name: 'app-request',
    as: 'developer',
    open: async (page, { dashboard }) => {
      await page.goto(`/developer/apps/${dashboard.client_id}/requests?errors=yes`)
      await page.locator('table.data tbody th a').first().click()
      await page.getByText('What to do').waitFor()
    },
  },
  {
    name: 'app-activity',
    as: 'developer',
    open: (page, { dashboard }) => page.goto(`/developer/apps/${dashboard.client_id}/activity`),
  },
  {
    name: 'disable-app',
    as: 'developer',
    open: (page, { dashboard }) => page.goto(`/developer/apps/${dashboard.client_id}/disable`),
  },
  {
    name: 'try-it',
    as: 'developer',
    screen: true,
    open: (page, { dashboard }) =>
      page.goto(`/developer/apps/${dashboard.client_id}/try`, { waitUntil: 'networkidle' }),
  },
  { name: 'overview', as: 'operator', open: '/operator', phone: true, dark: true },
  { name: 'accounts', as: 'operator', open: '/operator/accounts' },
  { name: 'account', as: 'operator', open: (page, { merchant }) => openAccount(page, merchant), phone: true },
  {
    name: 'disable-account',
    as: 'operator',
    open: async (page, { developer }) => {
      await openAccount(page, developer)
      await page.getByRole('link', { name: 'Disable', exact: true }).click()
      await page.getByRole('button', { name: 'Disable the account' }).waitFor()
    },
  },
  {
    name: 'operator-app',
    as: 'operator',
    open: (page, { dashboard }) => page.goto(`/operator/apps/${dashboard.client_id}`),
    dark: true,
  },
  { name: 'store', as: 'operator', open: '/operator/stores/1001' },
  // Without the sign-ins for these pictures.
  { name: 'audit-log', as: 'operator', open: '/operator/audit?to=2026-10-31', phone: true, dark: true },
  { name: 'settings', as: 'operator', open: '/operator/settings' },
  { name: 'webhooks', as: 'operator', open: openWebhooks },
  // Last: its orders would be in the other pictures too.
  { name: 'ledger', as: 'merchant', open: openLedger, screen: true, phone: true, dark: true },
  // After everything else: every page would show the brand.
  { name: 'brand', as: 'operator', open: openBrand },
  { name: 'brand-sign-in', open: '/login' },
]

/** An endpoint that has failed for an hour, and waits for its next attempt. */
async function openWebhooks(page: Page, { server, dashboard }: DemoServer): Promise<void> {
  const { storage, clock } = server
  const endpoints = createWebhookEndpoints({ storage, clock, rules: createAddressRules('') })
  const url = 'https://hooks.dashboard.example/tillgate'
  const { id } = await endpoints.create({ app_id: dashboard.client_id, url, events: [] }, byTest)
  const failed = { retry_at_ms: clock.now() * 1000 + 1e9, at: clock.now() - 3600, disable: null }
  await storage.webhooks.report({ endpoint_id: id, failures: 0, failed })
  await page.goto('/operator/webhooks')
}

/** A platform that has set everything. */
async function openBrand(page: Page, { server }: DemoServer): Promise<void> {
  const brand = { name: 'Harbour POS', accent: '#0b5c6b', support: 'support@harbour.example' }
  await server.storage.brand.save(brand)
  await createLogos(server).upload(platformOwner, demoLogo('dashboard'), byTest)
  await page.goto('/operator/settings/brand')
}

/** The second step of an account with two-factor authentication. */
async function openCode(page: Page, { server, merchant }: DemoServer): Promise<void> {
  const { storage } = server
  const account = await storage.accounts.findByEmail(merchant)
  if (!account) throw new Error(`${merchant} has no account`)
  const secret = { secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', step: 0, recovery_hashes: [], created_at: 0 }
  await storage.twoFactors.set(account.id, secret)
  await page.goto('/login')
  await page.getByLabel('Email').fill(merchant)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('Code').waitFor()
  await storage.twoFactors.remove(account.id)
}

async function openPasswordLink(page: Page, { server, merchant }: DemoServer): Promise<void> {
  const { storage, clock, accounts, base } = server
  const account = await storage.accounts.findByEmail(merchant)
  if (!account) throw new Error(`${merchant} has no account`)
  const links = createPasswordLinks({
    storage,
    clock,
    issuer: base,
    accounts,
    mail: null,
    brand: createBrand({ storage, clock }),
    logos: createLogos({ storage, clock }),
    notice: () => {},
  })
  await page.goto((await links.give(account, byTest)) ?? '')
}

async function openAccount(page: Page, email: string): Promise<void> {
  await page.goto(`/operator/accounts?q=${encodeURIComponent(email)}`)
  await page.getByRole('link', { name: email }).click()
  await page.getByRole('heading', { level: 1, name: email }).waitFor()
}
