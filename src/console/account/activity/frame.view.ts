import { html } from 'ghtml'
import { layout, type Page, type Viewer } from '../../layout.ts'
import { pageHeader } from '../../parts/page-header.ts'
import { tabs } from '../../parts/tabs.ts'

export const activityPath = '/account/activity'
export const eventsPath = '/account/activity/account'

interface ActivityFrame {
  viewer: Viewer
  current: typeof activityPath | typeof eventsPath
  /** HTML. */
  body: string
}

/** The header and the tabs of the two activity pages. */
export const activityFrame = ({ viewer, current, body }: ActivityFrame): Page =>
  layout({
    title: current === activityPath ? 'Activity' : 'Your account’s activity',
    viewer,
    path: current,
    body: html`!${pageHeader({
      title: 'Activity',
      lead: { text: 'Which apps read your stores, and what happened in your account.' },
    })}
    !${tabs({
      label: 'Kinds of activity',
      current,
      entries: [
        { href: activityPath, label: 'What apps read' },
        { href: eventsPath, label: 'Your account' },
      ],
    })}
    !${body}`,
  })
