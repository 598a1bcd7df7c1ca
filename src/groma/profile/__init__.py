"""What a program asks of the profile of its machine. Names and answers are those of libgroma (groma.h).

    import groma.profile

    machine = groma.profile.open_default()
    size = machine.cache_size(2)

Times are in s, sizes in bytes, rates in B/s. What the profile does not know is None. ValueError says that an
argument is out of range. A file that cannot be read raises GromaError.
"""

from groma.profile.mapping import CodeClass
from groma.profile.paths import default_path, own_path
from groma.profile.profile import Profile, open_default, open_profile
from groma.profile.rank_layers import Place

__all__ = ["CodeClass", "Place", "Profile", "default_path", "open_default", "open_profile", "own_path"]
