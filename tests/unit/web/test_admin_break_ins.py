"""Attempts on the pages of the people who run a study."""

import re

import pytest
from tests.support.study_site import SECRET, StudySite, demo_study

from gameproof.web.limits import Rate


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with StudySite(demo_study(), tmp_path_factory.mktemp("study") / "study.db") as served:
        yield served


@pytest.fixture(scope="module")
def victim(site):
    browser = site.browser(enter=True)
    browser.go_to("chosen")
    return browser


class TestAdmin:
    def signed_in(self, site):
        browser = site.browser()
        browser.post("/admin", {"secret": SECRET})
        return browser

    def test_it_is_closed_without_the_secret(self, site, victim):
        for browser in (site.browser(), victim):
            text = browser.get("/admin").text
            assert "reader-" not in text.partition("<footer>")[0]
            assert browser.post("/admin/delete", {"participant": victim.participant}).status == 403
            assert browser.post("/admin/invite", {"count": "5"}).status == 403
            assert browser.get(f"/admin/delete/{victim.participant}").headers["location"] == "/admin"
        assert site.store.participant(victim.participant) is not None

    def test_wrong_secrets_are_slowed_down(self, tmp_path):
        with StudySite(
            demo_study(), tmp_path / "study.db", limits={"admin": Rate(burst=2, per_minute=1)}
        ) as site:
            tries = [site.browser().post("/admin", {"secret": f"guess {n}"}).status for n in range(4)]
            assert tries == [403, 403, 429, 429]
            assert site.browser().post("/admin", {"secret": SECRET}).status == 429

    def test_there_is_none_without_a_secret(self, tmp_path):
        with StudySite(demo_study(), tmp_path / "study.db") as site:
            object.__setattr__(site.settings, "admin_secret", None)
            assert site.browser().get("/admin").status == 404
            assert site.browser().post("/admin", {"secret": ""}).status == 404

    def test_it_shows_progress_and_no_answer(self, site, victim):
        text = self.signed_in(site).get("/admin").text
        assert victim.participant in text
        assert "town planner" not in text
        assert "keep cool" not in text

    def test_it_invites_and_the_links_work_once_shown(self, site):
        admin = self.signed_in(site)
        token = admin.get("/admin").token
        assert admin.post("/admin/invite", {"token": token, "count": "2", "days": "3"}).status == 303
        links = re.findall(r"http://127.0.0.1:\d+(/join/[\w-]+)", admin.get("/admin").text)
        assert len(links) == 2
        for link in links:
            assert site.browser().get(link).headers["location"] == "/"
        assert "/join/" not in self.signed_in(site).get("/admin").text

    def test_it_revokes_invites_again_and_deletes(self, site):
        admin, reader = self.signed_in(site), site.browser(enter=True)
        form = {"token": admin.get("/admin").token, "participant": reader.participant}
        admin.post("/admin/revoke", form)
        assert reader.get().step == ""
        admin.post("/admin/link", form)
        link = re.search(r"http://127.0.0.1:\d+(/join/[\w-]+)", admin.get("/admin").text)[1]
        reader.get(link)
        assert reader.get().step == "consent"
        assert reader.participant in admin.get(f"/admin/delete/{reader.participant}").text
        assert admin.post("/admin/delete", form).status == 303
        assert site.store.participant(reader.participant) is None
        assert admin.get(f"/admin/delete/{reader.participant}").status == 404

    def test_its_forms_need_its_own_token(self, site, victim):
        admin = self.signed_in(site)
        for token in ("", "x", victim.get().token):
            form = {"token": token, "participant": victim.participant}
            assert admin.post("/admin/delete", form).status == 403
        assert site.store.participant(victim.participant) is not None

    def test_signing_out_ends_the_session(self, site):
        admin = self.signed_in(site)
        cookies = dict(admin.cookies)
        admin.post("/admin/sign-out", {"token": admin.get("/admin").token})
        admin.cookies = cookies
        assert 'name="secret"' in admin.get("/admin").text

    @pytest.mark.parametrize(
        "form", [{"count": "0"}, {"count": "201"}, {"count": "x"}, {"days": "-1"}, {"count": ""}]
    )
    def test_forms_that_do_not_fit_are_refused(self, site, form):
        admin = self.signed_in(site)
        n = len(site.store.participants())
        assert admin.post("/admin/invite", {"token": admin.get("/admin").token} | form).status == 400
        assert len(site.store.participants()) == n
