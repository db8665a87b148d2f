import { html } from 'ghtml'
import type { InputError } from '../../../domain/input-error.ts'
import type { App } from '../../../storage/port/index.ts'
import { layout, type Page, type Viewer } from '../../layout.ts'
import { logoForm } from '../../parts/form/logo-form.ts'
import { appLogo } from '../../parts/logo.ts'
import { pageHeader } from '../../parts/page-header.ts'
import { appsPath } from './frame.view.ts'

interface LogoView {
  viewer: Viewer
  app: App
  problem?: InputError
}

export const logoPage = ({ viewer, app, problem }: LogoView): Page => {
  const own = `${appsPath}/${app.id}`
  const title = `Logo of ${app.name}`
  return layout({
    title: problem ? `Error: ${title}` : title,
    viewer,
    path: `${own}/logo`,
    body: html`!${pageHeader({
      title,
      back: { href: own, label: app.name },
      lead: { text: 'Merchants see it when your app asks for access, and in their list of apps.' },
    })}
      <section class="card form">!${logoForm({
        action: `${own}/logo`,
        csrf: viewer.csrf,
        shown: appLogo(app),
        exists: app.logo !== null,
        problem,
      })}</section>`,
  })
}
