import { html } from 'ghtml'
import { type BrandForm, productName } from '../../../domain/brand/brand.ts'
import type { InputError } from '../../../domain/input-error.ts'
import type { Brand } from '../../../storage/port/index.ts'
import { layout, type Page, type Viewer } from '../../layout.ts'
import { card } from '../../parts/card.ts'
import { field } from '../../parts/form/field.ts'
import { logoForm } from '../../parts/form/logo-form.ts'
import { postForm } from '../../parts/form/post-form.ts'
import { platformLogo } from '../../parts/logo.ts'
import { notice } from '../../parts/notice.ts'
import { pageHeader } from '../../parts/page-header.ts'

const path = '/operator/settings/brand'

interface BrandView {
  viewer: Viewer
  brand: Brand
  form: BrandForm
  problem: InputError | undefined
  saved: boolean
}

export const brandPage = ({ viewer, brand, form, problem, saved }: BrandView): Page =>
  layout({
    title: problem ? 'Error: Brand' : 'Brand',
    viewer,
    path,
    body: html`!${pageHeader({
      title: 'Brand',
      back: { href: '/operator/settings', label: 'Settings' },
      lead: {
        text: 'People see it on every page, from sign-in to consent, and in mails. Changes apply immediately on every node.',
      },
    })}
      !${saved ? notice({ tone: 'good', content: { text: 'Brand saved. This page shows it.' } }) : ''}
      <div class="grid-2">
        !${card({
          title: 'Name, colour and support',
          body: postForm(
            path,
            viewer.csrf,
            html`<input type="hidden" name="part" value="brand">!${brandFields(form, problem)}<button type="submit">Save</button>`,
          ),
        })}
        !${card({
          title: 'Logo',
          body: logoForm({
            action: path,
            csrf: viewer.csrf,
            shown:
              platformLogo(brand) ??
              html`<span class="muted">None: pages show the mark of ${productName}.</span>`,
            exists: brand.logo !== null,
            problem,
          }),
        })}
      </div>`,
  })

const brandFields = (form: BrandForm, problem: InputError | undefined): string =>
  [
    field({
      id: 'name',
      label: 'Name',
      problem,
      hint: { text: `Your platform’s name, at most 40 characters. Empty: ${productName}.` },
      control: attributes => html`<input name="name" value="${form.name}" autocomplete="off" !${attributes}>`,
    }),
    field({
      id: 'accent',
      label: 'Accent colour',
      problem,
      hint: {
        text: 'Six hexadecimal digits, such as #3451c6, for buttons and links. Links use a darker or lighter shade where the colour is hard to read. Empty: blue.',
      },
      control: attributes =>
        html`<input name="accent" value="${form.accent}" autocomplete="off" spellcheck="false" placeholder="#3451c6" !${attributes}>`,
    }),
    field({
      id: 'support',
      label: 'Support address',
      problem,
      hint: { text: 'An email address or an https address where people get help. Empty: none is shown.' },
      control: attributes =>
        html`<input name="support" value="${form.support}" autocomplete="off" spellcheck="false" !${attributes}>`,
    }),
  ].join('')
